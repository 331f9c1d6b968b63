// Search in pages that are opened as files. Browsers refuse a Worker whose script is a file, so
// here a hidden frame stands for it. The search script looks for the name `IFrameWorker`.
if (location.protocol === "file:") {
  window.IFrameWorker = class IFrameWorker extends EventTarget {
    constructor(url) {
      super()
      this.onmessage = null
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.appendChild(this.frame)
      const page = this.frame.contentDocument
      const inner = this.frame.contentWindow
      inner.postMessage = data => {
        const event = new MessageEvent("message", { data })
        this.dispatchEvent(event)
        if (this.onmessage) this.onmessage(event)
      }
      const load = source => new Promise((loaded, failed) => {
        const script = page.createElement("script")
        script.onload = loaded
        script.onerror = failed
        script.src = source
        page.body.appendChild(script)
      })
      inner.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve())
      this.ready = load(url)
    }
    postMessage(data) {
      this.ready.then(() => {
        this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }))
      })
    }
    terminate() {
      this.frame.remove()
    }
  }
  window.Worker = window.IFrameWorker
}
