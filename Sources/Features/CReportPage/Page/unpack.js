"use strict";
// Unpacks the style and the other scripts, which are deflated and in Base64 as the data are, and adds them to the page.

async function unpacked(id) {
  const text = atob(document.getElementById(id).textContent);
  const bytes = Uint8Array.from(text, (one) => one.charCodeAt(0));
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(inflated).text();
}

Promise.all(["style", "script"].map(unpacked)).then((texts) => {
  for (const [index, name] of ["style", "script"].entries()) {
    const element = document.createElement(name);
    element.textContent = texts[index];
    document.head.append(element);
  }
}, (error) => {
  document.getElementById("main").textContent = `This report needs a browser that can inflate: ${error.message}`;
  throw error;
});
