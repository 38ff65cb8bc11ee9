"use strict";
// Unpacks the other scripts, which are deflated and in Base64 as the data are, and runs them.

async function unpacked(id) {
  const text = atob(document.getElementById(id).textContent);
  const bytes = Uint8Array.from(text, (one) => one.charCodeAt(0));
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(inflated).text();
}

unpacked("script").then((text) => {
  const script = document.createElement("script");
  script.textContent = text;
  document.body.append(script);
}, (error) => {
  document.getElementById("main").textContent = `This report needs a browser that can inflate: ${error.message}`;
  throw error;
});
