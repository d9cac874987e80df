/** The page's one socket: whatever on the page wants news listens here. */

import { Socket } from "./socket.js";

export const line = new Socket();
