// Uploads files to the media library, several in parallel, and shows their progress.
import { announce } from './announce.js'
import { ApiError, renew, routeOf } from './api.js'
import { wordsOf } from './words.js'

/**
 * A media file as the REST API returns it in the context `edit`.
 * @typedef {object} Attachment
 * @property {number} id
 * @property {{ rendered: string, raw?: string }} title
 * @property {string} alt_text
 * @property {string} source_url
 * @property {string} mime_type
 * @property {string} media_type
 * @property {{ sizes?: Record<string, { source_url: string }> }} media_details
 */

/** Parallel uploads. */
const MAX_PARALLEL_UPLOADS = 2

/**
 * Uploads a file to the media library.
 * @param {File} file
 * @param {{ fields?: Record<string, string>, signal?: AbortSignal, onProgress?: (part: number) => void }} [options]
 * @returns {Promise<Attachment>}
 * @throws {ApiError} with status 0 if the server is unreachable
 */
export async function upload(file, options = {}) {
  try {
    return await send(file, options)
  } catch (error) {
    const isOld = error instanceof ApiError && error.code === 'rest_cookie_invalid_nonce'
    if (!isOld || !(await renew())) throw error
    return send(file, options)
  }
}

/**
 * @param {File} file
 * @param {Parameters<typeof upload>[1]} [options]
 * @returns {Promise<Attachment>}
 */
function send(file, { fields = {}, signal, onProgress } = {}) {
  const { url, header, nonce } = routeOf('media?context=edit')
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', file)
  return new Promise((resolve, reject) => {
    // `fetch` does not report upload progress.
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader(header, nonce)
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0))
    request.addEventListener('load', () => {
      if (request.status === 201) resolve(request.response)
      else reject(new ApiError(request.status, request.response, request.getResponseHeader('x-request-id')))
    })
    request.addEventListener('error', () => reject(new ApiError(0, null)))
    request.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))
    signal?.addEventListener('abort', () => request.abort())
    request.send(form)
  })
}

/** The list of uploads, with progress bars, and buttons to cancel and retry. */
export class Uploads {
  /** @type {HTMLUListElement} */
  #list = document.createElement('ul')
  /** @type {(() => Promise<void>)[]} */
  #waiting = []
  #running = 0

  /**
   * @param {HTMLElement} element parent of the list, rendered by `uploadPlace` of the server
   * @param {(attachment: Attachment, row: HTMLLIElement) => void} onDone called for each uploaded file
   */
  constructor(element, onDone) {
    this.element = element
    this.onDone = onDone
    this.words = wordsOf(element)
    this.maxBytes = Number(element.dataset['most'] ?? 0)
    this.#list.className = 'uploads'
    element.append(this.#list)
  }

  /** @param {Iterable<File>} files */
  add(files) {
    for (const file of files) this.#addFile(file)
  }

  /** @param {File} file */
  #addFile(file) {
    const { words } = this
    const row = document.createElement('li')
    const name = document.createElement('span')
    const bar = document.createElement('progress')
    const state = document.createElement('span')
    name.className = 'upload-name'
    name.textContent = file.name
    bar.max = 1
    bar.value = 0
    bar.setAttribute('aria-label', words('progress', { name: file.name }))
    const cancel = button(words('cancel'), words('cancelNamed', { name: file.name }))
    const retry = button(words('retry'), words('retryNamed', { name: file.name }))
    retry.hidden = true
    row.append(name, bar, state, cancel, retry)
    this.#list.append(row)
    if (this.maxBytes > 0 && file.size > this.maxBytes) {
      bar.remove()
      retry.remove()
      cancel.remove()
      this.#failed(
        row,
        state,
        words('tooLarge', { name: file.name, most: String(Math.floor(this.maxBytes / 1_000_000)) }),
      )
      return
    }
    let stop = new AbortController()
    cancel.addEventListener('click', () => {
      stop.abort()
      this.#showStatus(state, words('cancelled', { name: file.name }))
      bar.hidden = cancel.hidden = true
      retry.hidden = false
      retry.focus()
    })
    const start = () => {
      stop = new AbortController()
      row.classList.remove('failed')
      bar.hidden = cancel.hidden = false
      retry.hidden = true
      bar.value = 0
      state.textContent = words('waiting')
      this.#queue(() => this.#run(file, { row, bar, state, cancel, retry, signal: stop.signal }))
    }
    retry.addEventListener('click', () => {
      start()
      cancel.focus()
    })
    start()
  }

  /**
   * @param {File} file
   * @param {{ row: HTMLLIElement, bar: HTMLProgressElement, state: HTMLElement, cancel: HTMLButtonElement, retry: HTMLButtonElement, signal: AbortSignal }} parts
   */
  async #run(file, { row, bar, state, cancel, retry, signal }) {
    if (signal.aborted) return
    const { words } = this
    const onProgress = (/** @type {number} */ part) => {
      bar.value = part
      state.textContent = part < 1 ? `${Math.round(part * 100)} %` : words('storing')
    }
    try {
      const attachment = await upload(file, { signal, onProgress })
      const wasFocused = row.contains(document.activeElement)
      for (const part of [bar, cancel, retry]) part.remove()
      this.#showStatus(state, words('done', { name: file.name }))
      this.onDone(attachment, row)
      if (wasFocused) row.querySelector('a')?.focus()
    } catch (error) {
      if (signal.aborted) return
      bar.hidden = cancel.hidden = true
      retry.hidden = false
      const reason = error instanceof ApiError && error.status > 0 ? error.message : words('unreached')
      this.#failed(row, state, words('failed', { name: file.name, why: reason }))
    }
  }

  /**
   * @param {HTMLElement} row
   * @param {HTMLElement} state
   * @param {string} text
   */
  #failed(row, state, text) {
    row.classList.add('failed')
    this.#showStatus(state, text)
  }

  /**
   * @param {HTMLElement} state
   * @param {string} text
   */
  #showStatus(state, text) {
    state.textContent = text
    announce(text)
  }

  /** @param {() => Promise<void>} task */
  #queue(task) {
    this.#waiting.push(task)
    this.#next()
  }

  #next() {
    if (this.#running >= MAX_PARALLEL_UPLOADS) return
    const task = this.#waiting.shift()
    if (task === undefined) return
    this.#running += 1
    void task().finally(() => {
      this.#running -= 1
      this.#next()
    })
  }
}

/**
 * Accepts files that are dropped or pasted on an element.
 * @param {HTMLElement | Document} element
 * @param {(files: File[]) => void} onFiles
 */
export function acceptFiles(element, onFiles) {
  const target = element instanceof Document ? element.body : element
  let inside = 0
  const show = () => target.classList.toggle('dropping', inside > 0)
  const hasFiles = (/** @type {Event} */ event) =>
    event instanceof DragEvent && (event.dataTransfer?.types.includes('Files') ?? false)
  element.addEventListener('dragenter', (event) => {
    if (!hasFiles(event)) return
    inside += 1
    show()
  })
  element.addEventListener('dragleave', (event) => {
    if (!hasFiles(event)) return
    inside -= 1
    show()
  })
  element.addEventListener('dragover', (event) => {
    if (hasFiles(event)) event.preventDefault()
  })
  element.addEventListener('drop', (event) => {
    if (!(event instanceof DragEvent) || !hasFiles(event)) return
    event.preventDefault()
    inside = 0
    show()
    onFiles([...(event.dataTransfer?.files ?? [])])
  })
  element.addEventListener('paste', (event) => {
    const files = event instanceof ClipboardEvent ? [...(event.clipboardData?.files ?? [])] : []
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  })
}

/**
 * @param {string} text
 * @param {string} label
 */
function button(text, label) {
  const element = document.createElement('button')
  element.type = 'button'
  element.textContent = text
  element.setAttribute('aria-label', label)
  return element
}
