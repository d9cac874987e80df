/** Six short sounds, made by Web Audio as they are needed: no file, no noise, nothing before a press. */

// A tone: [start s, length s, from Hz, to Hz, loudness]. A card is a breath of noise instead.
const TONES = {
  turn: [[0, 0.16, 587, 587, 0.5], [0.12, 0.28, 880, 880, 0.5]],
  hurry: [[0, 0.09, 740, 740, 0.45], [0.16, 0.09, 740, 740, 0.45]],
  win: [[0, 0.14, 523, 523, 0.4], [0.1, 0.14, 659, 659, 0.4], [0.2, 0.32, 784, 784, 0.4]],
  draw: [[0, 0.3, 523, 523, 0.4]],
  lose: [[0, 0.18, 440, 440, 0.4], [0.14, 0.34, 349, 330, 0.4]],
};
const CARDS = { deal: [2600, 0.05, 0.8], flip: [1400, 0.09, 0.9] };

let context = null;
let noise = null;
let out = null;

/** A context where the browser allows one: after the person has pressed something on this page. */
function ready() {
  if (!navigator.userActivation?.hasBeenActive) return false;
  if (context === null) {
    context = new AudioContext({ latencyHint: "interactive" });
    out = new GainNode(context);
    out.connect(context.destination);
    noise = new AudioBuffer({ length: context.sampleRate / 8, sampleRate: context.sampleRate });
    const samples = noise.getChannelData(0);
    for (let at = 0; at < samples.length; at += 1) samples[at] = Math.random() * 2 - 1;
  }
  if (context.state !== "running") context.resume();
  return true;
}

/** Rises at once and dies away, so that nothing clicks. */
function shaped(from, start, length, loudness) {
  const shape = new GainNode(context, { gain: 0 });
  shape.gain.setValueAtTime(0, start);
  shape.gain.linearRampToValueAtTime(loudness, start + 0.008);
  shape.gain.exponentialRampToValueAtTime(0.001, start + length);
  from.connect(shape).connect(out);
}

function card(start, [pitch, length, loudness]) {
  const source = new AudioBufferSourceNode(context, { buffer: noise });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 0.9 });
  shaped(source.connect(filter), start, length, loudness);
  source.start(start);
  source.stop(start + length);
}

function tone(start, [after, length, from, to, loudness]) {
  const source = new OscillatorNode(context, { type: "triangle", frequency: from });
  source.frequency.linearRampToValueAtTime(to, start + after + length);
  shaped(source, start + after, length, loudness);
  source.start(start + after);
  source.stop(start + after + length);
}

/**
 * Plays `deal`, `flip`, `turn`, `hurry`, `win`, `draw` or `lose`.
 * @param volume 0 to 100; at 0 nothing is even made
 * @param after seconds from now
 */
export function play(name, volume, after = 0) {
  if (!volume || !ready()) return;
  out.gain.value = (volume / 100) ** 2;
  const start = context.currentTime + 0.01 + after;
  if (name in CARDS) card(start, CARDS[name]);
  else for (const one of TONES[name]) tone(start, one);
}

/**
 * The sounds of what has just happened, in its order and in time with the cards.
 * @param net what the last settled round brought, null where one has no seat
 */
export function accompany(events, volume, net) {
  const cards = events.filter(({ type }) => type === "card_dealt").length;
  const step = Math.min(0.06, 1 / Math.max(1, cards));
  let at = 0;
  for (const event of events) {
    if (event.type === "card_dealt") {
      play("deal", volume, at);
      at += step;
    } else if (event.type === "hole_card_opened") {
      play("flip", volume, at);
      at += 0.2;
    } else if (event.type === "round_settled" && net !== null) {
      play(net > 0 ? "win" : net < 0 ? "lose" : "draw", volume, at + 0.15);
    }
  }
}
