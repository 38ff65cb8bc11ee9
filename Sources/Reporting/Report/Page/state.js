// What the reader looks at: the page under the cursor, the zoom, and the names searched for. The fragment of the address has
// it, so that a colleague who opens the same file sees the same.

class State {
  constructor() {
    this.listeners = [];
    const fragment = new URLSearchParams(location.hash.slice(1));
    this.side = fragment.get("side") === "before" ? "before" : "after";
    this.page = null;
    this.pageAddress = /^0x[0-9a-f]{1,16}$/.test(fragment.get("page") ?? "") ? fragment.get("page") : null;
    this.zoom = Number(fragment.get("zoom")) || null;
    this.find = fragment.get("find") ?? "";
    this.isOpen = fragment.get("drawer") === "open";
  }
  listen(listener) { this.listeners.push(listener); }
  /** Changes some of it, tells everybody, and writes the fragment. */
  set(changes) {
    const before = {...this };
    Object.assign(this, changes);
    for (const listener of this.listeners) listener(this, before);
    const fragment = new URLSearchParams();
    if (this.pageAddress) {
      fragment.set("page", this.pageAddress);
      fragment.set("side", this.side);
    }
    if (this.zoom) fragment.set("zoom", this.zoom);
    if (this.find) fragment.set("find", this.find);
    if (this.isOpen) fragment.set("drawer", "open");
    history.replaceState(null, "", "#" + fragment);
  }
}
