/** What is fetched only when it is asked for, and what becomes of that without a line. */

/**
 * @param load imports the module; @param reachable whether there is a line
 * @returns a function that resolves with the module, or rejects where it cannot be had now
 */
export function lazy(load, reachable) {
  let found = null;
  let failed = false;
  return async () => {
    if (found) return found;
    if (!reachable()) throw new Error("offline");
    if (failed) {
      // A browser remembers for a page's whole life that it could not fetch a module.
      location.reload();
      return new Promise(() => {});
    }
    try {
      found = await load();
    } catch (fault) {
      failed = true;
      throw fault;
    }
    return found;
  };
}
