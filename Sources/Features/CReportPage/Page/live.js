// A page that `orderfile report --serve` serves: it loads itself again when its documents have changed. The address keeps
// the reader's choices, and the session keeps the place.

const SCROLL_KEY = "orderfile.scroll";

function listenToServer() {
  const { live } = document.body.dataset;
  if (!live) return;
  const place = document.getElementById("live");
  const tell = (text) => {
    place.textContent = text;
    place.hidden = !text;
  };
  const events = new EventSource("events");
  events.addEventListener("page", ({ data }) => {
    tell("");
    if (data === live) return;
    sessionStorage.setItem(SCROLL_KEY, String(scrollY));
    location.reload();
  });
  events.addEventListener("problem", ({ data }) => tell(`The files have changed, and no report can be made of them: ${visible(data)}`));
  events.addEventListener("error", () => tell("orderfile report has ended: this page shows what it served last."));
}

/** Goes to the place at which the page was before it loaded itself again. */
function restorePlace() {
  if (!document.body.dataset.live) return;
  const place = sessionStorage.getItem(SCROLL_KEY);
  sessionStorage.removeItem(SCROLL_KEY);
  if (place !== null) scrollTo(0, Number(place));
}
