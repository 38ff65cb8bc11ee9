// What the reader looks at: the page under the cursor, how the views are set, and the names searched for. The fragment
// of the address has this state, so that a colleague who opens the same file with it sees the same, and so that an
// address can be edited.

const CHOICES = ["zoom", "colour", "axis", "faults", "owner", "object", "figure", "stages", "view"];

class State {
  constructor() {
    this.listeners = [];
    Object.assign(this, this.read());
    this.page = null;
    addEventListener("hashchange", () => this.set(this.read()));
  }
  /** The state that the fragment states; `#map` alone is a view. */
  read() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    const read = {
      side: fragment.get("side"),
      pageAddress: /^0x[0-9a-f]{1,16}$/.test(fragment.get("page") ?? "") ? fragment.get("page") : null,
      find: fragment.get("find") ?? "",
      isOpen: fragment.get("drawer") === "open",
    };
    for (const name of CHOICES) read[name] = fragment.get(name);
    const bare = location.hash.slice(1);
    if (bare && !bare.includes("=")) read.view = bare;
    return read;
  }
  listen(listener) { this.listeners.push(listener); }
  /** Changes a part of the state, calls all listeners, and writes the fragment. */
  set(changes) {
    const before = {...this };
    Object.assign(this, changes);
    for (const listener of this.listeners) listener(this, before);
    const fragment = new URLSearchParams();
    for (const name of CHOICES)
      if (this[name]) fragment.set(name, this[name]);
    if (this.pageAddress) {
      fragment.set("page", this.pageAddress);
      if (this.side) fragment.set("side", this.side);
    }
    if (this.find) fragment.set("find", this.find);
    if (this.isOpen) fragment.set("drawer", "open");
    history.replaceState(null, "", "#" + fragment);
  }
}
