import { defineConfig } from "vite";

// The bundle goes where the Go package that serves it embeds it from. Every
// asset is a file of its own: the page's policy allows nothing inline.
export default defineConfig({
  base: "/",
  build: {
    outDir: "../internal/mappage/bundle/app",
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"], // light-dark() and popovers of now
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: true,
  },
  worker: { format: "es" },
  server: { proxy: { "/api": "http://127.0.0.1:4242", "/ws": { target: "ws://127.0.0.1:4242", ws: true } } },
});
