// The plain editor: live preview, autosave, what this browser keeps, the lock, keys. Without it, all of this has buttons.
import { announce } from './announce.js'
import { ask, renew, routeOf } from './api.js'
import { pickMedia } from './media-picker.js'
import { wordsOf } from './words.js'

/** Milliseconds between two autosaves. */
const AUTOSAVE = 60_000
/** Milliseconds between two looks at who edits. */
const BEAT = 10_000
/** Milliseconds after the last key before the preview is made anew. */
const PREVIEW = 600
/** Milliseconds after the last key before the text is kept in this browser. */
const KEEP = 800
/** Days for which this browser keeps a text. */
const DAYS = 14

const form = document.querySelector('#writing')
if (form instanceof HTMLFormElement) start(form)

/** @param {HTMLFormElement} form */
function start(form) {
  const { dataset } = form
  const words = wordsOf(form)
  const id = dataset['id'] ?? ''
  const state = form.querySelector('[data-state]')
  const content = form.querySelector('[data-content]')
  const key = `svc-writing:${dataset['user']}:${dataset['type']}:${id || 'new'}`
  /** Whether something was typed that the site does not have; and that the form itself has not stored. */
  let [changed, unsaved] = [false, false]
  let readOnly = dataset['locked'] === '1'
  let isOver = false
  let isSaving = false
  /** Whether the browser goes to the page that the form leads to. */
  let isSending = false

  /** @param {string} text */
  const say = (text) => {
    if (state !== null && state.textContent !== text) state.textContent = text
  }
  const time = () => new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

  /** @param {string} name */
  const field = (name) => {
    const found = form.elements.namedItem(name)
    return found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement ? found : null
  }

  // What this browser keeps.
  const texts = () => ({
    title: field('title')?.value ?? '',
    content: field('content')?.value ?? '',
    excerpt: field('excerpt')?.value ?? '',
    mode: field('mode')?.value ?? '',
  })
  const keep = () => {
    try {
      localStorage.setItem(key, JSON.stringify({ at: Date.now(), modified: dataset['modified'], texts: texts() }))
      return true
    } catch {
      return false
    }
  }
  const forget = () => {
    try {
      localStorage.removeItem(key)
    } catch {
      // Nothing is kept then.
    }
  }
  offerKept()

  function offerKept() {
    /** @type {{ at: number, texts: Record<string, string> } | null} */
    let kept = null
    try {
      kept = JSON.parse(localStorage.getItem(key) ?? 'null')
    } catch {
      return
    }
    if (kept === null) return
    const now = texts()
    const isSame = kept.texts['title'] === now.title && kept.texts['content'] === now.content && kept.texts['excerpt'] === now.excerpt // prettier-ignore
    if (isSame || Date.now() - kept.at > DAYS * 86_400_000) return forget()
    const text = words('copy', { time: new Date(kept.at).toLocaleString() })
    const notice = tell(text, 'warning')
    const show = button(words('restore'), () => {
      for (const [name, value] of Object.entries(kept.texts)) {
        const one = field(name)
        if (one !== null) one.value = value
      }
      notice.remove()
      touched()
      announce(words('restored'))
      say(words('restored'))
      field('content')?.focus()
    })
    const drop = button(words('forget'), () => {
      forget()
      notice.remove()
    })
    notice.append(' ', show, ' ', drop)
  }

  /**
   * @param {string} text
   * @param {string} kind
   */
  function tell(text, kind) {
    const notice = document.createElement('div')
    notice.className = `notice ${kind}`
    notice.setAttribute('role', 'alert')
    notice.textContent = text
    document.querySelector('#notices')?.append(notice)
    return notice
  }

  // Autosave.
  let keeping = 0
  function touched() {
    changed = true
    unsaved = true
    clearTimeout(keeping)
    keeping = window.setTimeout(() => {
      if (keep() && id === '') say(words('kept', { time: time() }))
    }, KEEP)
  }
  form.addEventListener('input', touched)

  async function autosave(leaving = false) {
    if (!changed || readOnly || isSaving || id === '') return
    isSaving = true
    changed = false
    keep()
    if (!leaving) say(words('saving'))
    const data = new FormData(form)
    data.set('do', 'autosave')
    // Browsers send little of what leaves with its page.
    const keepalive = leaving && texts().content.length < 15_000
    try {
      const response = await fetch(form.action, { method: 'POST', body: data, redirect: 'manual', keepalive })
      if (response.status === 401 || response.status === 403) await sessionIsOver()
      else if (response.status === 409) {
        changed = true
        say(words('conflict'))
        announce(words('conflict'))
      } else {
        // What stands between may respond with a page of its own.
        const { tag, message } = await response.json().catch(() => ({}))
        if (!response.ok) throw new Error(message ?? '')
        const own = field('tag')
        if (own !== null) own.value = tag
        unsaved = changed
        if (!changed) forget()
        say(words('saved', { time: time() }))
        if (isOver) sessionIsBack()
      }
    } catch (error) {
      changed = true
      say(error instanceof Error && error.message !== '' && !(error instanceof TypeError) ? error.message : words('offline')) // prettier-ignore
    } finally {
      isSaving = false
    }
  }
  setInterval(() => void autosave(), AUTOSAVE)
  window.addEventListener('online', () => void autosave())
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void autosave(true)
  })

  /** @type {HTMLElement | null} */
  let over = null
  async function sessionIsOver() {
    changed = true
    // Somebody may have logged in meanwhile, or the nonce alone was too old.
    if (await freshNonces()) return void setTimeout(() => void autosave(), 0)
    say(words('session'))
    if (isOver) return
    isOver = true
    over = tell(words('session'), 'error')
    const link = document.createElement('a')
    link.href = dataset['login'] ?? ''
    link.target = '_blank'
    link.textContent = words('login')
    over.append(' ', link)
  }
  function sessionIsBack() {
    isOver = false
    over?.remove()
  }
  async function freshNonces() {
    try {
      const url = new URL(form.action)
      url.searchParams.set('part', 'nonce')
      const response = await fetch(url, { redirect: 'manual' })
      if (!response.ok) return false
      const own = field(dataset['nonceField'] ?? '')
      if (own === null) return false
      const { form: nonce } = await response.json()
      const isNew = own.value !== nonce || isOver
      own.value = nonce
      return (await renew()) && isNew
    } catch {
      return false
    }
  }

  // The lock.
  const heartbeat = dataset['heartbeat'] ?? ''
  const word = dataset['word'] ?? ''
  async function beat() {
    if (readOnly || heartbeat === '' || id === '') return
    const { nonce } = routeOf('')
    const data = new URLSearchParams({ action: 'heartbeat', _nonce: nonce })
    data.set(`data[${word}-refresh-post-lock][post_id]`, id)
    try {
      const response = await fetch(heartbeat, { method: 'POST', body: data })
      const told = await response.json()
      if (told[`${word}-auth-check`] === false) return void (await sessionIsOver())
      if (told.nonces_expired) return void (await freshNonces())
      if (isOver && (await freshNonces())) {
        sessionIsBack()
        void autosave()
      }
      const lost = told[`${word}-refresh-post-lock`]?.lock_error
      if (lost !== undefined) loseLock(lost.name)
      else if (changed && !isSaving && state?.textContent === words('offline')) void autosave()
    } catch {
      if (changed) say(words('offline'))
    }
  }
  /** @param {string} name */
  function loseLock(name) {
    // Two beats may have asked at the same time.
    if (readOnly) return
    keep()
    readOnly = true
    unsaved = false
    const set = form.querySelector('fieldset')
    if (set !== null) set.disabled = true
    const notice = tell(words('lost', { name }), 'error')
    const link = document.createElement('a')
    link.href = form.action
    link.textContent = words('again')
    notice.append(' ', link)
    notice.tabIndex = -1
    notice.focus()
  }
  if (heartbeat !== '') {
    setInterval(() => void beat(), BEAT)
    // The page that was there before may just have let go of it.
    setTimeout(() => void beat(), 500)
    window.addEventListener('pagehide', () => {
      if (readOnly || isSending || id === '') return
      const { nonce } = routeOf('')
      const data = new URLSearchParams({ action: `${word}-remove-post-lock`, post_ID: id })
      data.set(dataset['nonceField'] ?? '', nonce)
      navigator.sendBeacon(heartbeat, data)
    })
  }

  // Nothing is lost by leaving.
  form.addEventListener('submit', (event) => {
    const { submitter } = event
    const isStored = !(submitter instanceof HTMLButtonElement) || submitter.value !== 'preview'
    if (isStored) {
      keep()
      isSending = true
    }
  })
  window.addEventListener('beforeunload', (event) => {
    if (unsaved && !isSending) event.preventDefault()
  })
  // What the form has stored need not be kept.
  if (document.querySelector('#notices .notice.done') !== null) {
    forget()
    if (id !== '') {
      try {
        localStorage.removeItem(`svc-writing:${dataset['user']}:${dataset['type']}:new`)
      } catch {
        // Nothing is kept then.
      }
    }
  }

  // The preview: a new frame for each, so that the browser's history stays as it is.
  const place = form.querySelector('[data-preview]')
  let number = 0
  let wait = 0
  const preview = () => {
    const shown = place?.querySelector('iframe:not(.waiting)')
    if (!(place instanceof HTMLElement) || !(shown instanceof HTMLIFrameElement) || readOnly) return
    place.querySelector('.waiting')?.remove()
    number += 1
    const next = document.createElement('iframe')
    next.name = `preview-${number}`
    next.title = shown.title
    next.className = 'waiting'
    next.setAttribute('sandbox', 'allow-same-origin')
    place.append(next)
    next.addEventListener('load', () => {
      const made = next.contentDocument
      // A refusal, such as that the session is over, may not be framed: the last preview stays.
      if (made === null) return next.remove()
      if (made.location.href === 'about:blank') return
      const at = shown.contentWindow?.scrollY ?? 0
      shown.remove()
      next.className = ''
      next.contentWindow?.scrollTo(0, at)
    })
    const asked = document.createElement('input')
    asked.type = 'hidden'
    asked.name = 'do'
    asked.value = 'preview'
    form.append(asked)
    form.target = next.name
    // Neither what is required nor what is asked at leaving matters here.
    HTMLFormElement.prototype.submit.call(form)
    form.removeAttribute('target')
    asked.remove()
  }
  const laterPreview = () => {
    clearTimeout(wait)
    wait = window.setTimeout(preview, PREVIEW)
  }
  for (const name of ['title', 'content']) field(name)?.addEventListener('input', laterPreview)
  const pressed = form.querySelector('button[value="preview"]')
  pressed?.addEventListener('click', (event) => {
    event.preventDefault()
    preview()
  })
  if (content instanceof HTMLTextAreaElement && content.value !== '') preview()

  const insert = form.querySelector('[data-insert-picture]')
  if (
    insert instanceof HTMLButtonElement &&
    content instanceof HTMLTextAreaElement &&
    document.querySelector('#media-picker')
  ) {
    insert.hidden = false
    const put = async () => {
      const picture = await pickMedia({ type: 'image' })
      if (picture !== null && !readOnly) {
        const text =
          field('mode')?.value === 'markdown'
            ? inMarkdown(picture)
            : inHtml(picture, insert.dataset['insertPicture'] ?? '')
        const at = content.selectionEnd
        const before = at === 0 || content.value.slice(0, at).endsWith('\n\n') ? '' : '\n\n'
        content.setRangeText(`${before}${text}\n\n`, at, at, 'end')
        content.dispatchEvent(new Event('input', { bubbles: true }))
      }
      content.focus()
    }
    insert.addEventListener('click', () => void put())
  }

  // Keys.
  document.addEventListener('keydown', (event) => {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
    const letter = event.key.toLowerCase()
    if (isCommand && letter === 's') {
      event.preventDefault()
      const save = form.querySelector('[data-save]')
      if (save instanceof HTMLButtonElement && !readOnly) form.requestSubmit(save)
      return
    }
    if (event.target !== content || !(content instanceof HTMLTextAreaElement)) return
    if (event.key === 'Escape') {
      const save = form.querySelector('[data-save]')
      if (save instanceof HTMLElement) save.focus()
      return
    }
    if (!isCommand || field('mode')?.value !== 'markdown') return
    const mark =
      letter === 'b' ? ['**', '**'] : letter === 'i' ? ['*', '*'] : letter === 'k' ? ['[', '](https://)'] : null
    if (mark === null) return
    event.preventDefault()
    const [before = '', after = ''] = mark
    const { selectionStart: from, selectionEnd: to } = content
    content.setRangeText(before + content.value.slice(from, to) + after, from, to, 'end')
    const end = to + before.length
    if (letter === 'k') content.setSelectionRange(end + 2, end + after.length - 1)
    else content.setSelectionRange(from + before.length, end)
    content.dispatchEvent(new Event('input', { bubbles: true }))
  })

  for (const list of form.querySelectorAll('[data-filter-list]')) if (list instanceof HTMLElement) searchTicks(list)
  for (const one of form.querySelectorAll('[data-search]')) if (one instanceof HTMLElement) searchChoice(one)
  for (const input of form.querySelectorAll('input[data-suggest]'))
    if (input instanceof HTMLInputElement) suggest(input)

  /** @param {string} label @param {(text: string) => void | Promise<void>} found */
  function searchField(label, found) {
    const input = document.createElement('input')
    input.type = 'search'
    input.setAttribute('aria-label', label)
    input.placeholder = words('search')
    let waiting = 0
    input.addEventListener('input', (event) => {
      // What is searched for is not part of the text.
      event.stopPropagation()
      clearTimeout(waiting)
      waiting = window.setTimeout(() => void found(input.value.trim()), 250)
    })
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') event.preventDefault()
    })
    return input
  }

  /** Boxes to tick: those that fit, and further ones of the site. @param {HTMLElement} list */
  function searchTicks(list) {
    const choices = list.querySelector('.choices')
    const legend = list.querySelector('legend')
    if (choices === null || legend === null) return
    const name = list.querySelector('input[type="hidden"]')?.getAttribute('name') ?? ''
    const input = searchField(`${words('search')}: ${legend.textContent}`, (text) => void find(text))
    legend.after(input)
    /** @param {string} text */
    const find = async (text) => {
      const route = list.dataset['route']
      if (text !== '' && route !== undefined) {
        const { data } = await ask(`${route}?search=${encodeURIComponent(text)}&per_page=20&_fields=id,name`)
        for (const term of data) {
          const boxId = `found-${name}-${term.id}`
          if (choices.querySelector(`input[value="${term.id}"]`) !== null) continue
          const item = document.createElement('li')
          const box = Object.assign(document.createElement('input'), {
            type: 'checkbox',
            name,
            value: term.id,
            id: boxId,
          })
          const label = Object.assign(document.createElement('label'), { htmlFor: boxId, textContent: term.name })
          item.append(box, ' ', label)
          choices.append(item)
        }
      }
      for (const item of choices.querySelectorAll('li'))
        item.hidden = !(item.textContent ?? '').toLowerCase().includes(text.toLowerCase())
    }
  }

  /** A choice of which the page has the first ones. @param {HTMLElement} place */
  function searchChoice(place) {
    const select = place.querySelector('select')
    const label = place.querySelector('label')
    if (select === null || label === null) return
    const input = searchField(`${words('search')}: ${label.textContent}`, async (text) => {
      const { data } = await ask(`${place.dataset['search']}&search=${encodeURIComponent(text)}&per_page=50`)
      const kept = [...select.options].filter((option) => option.selected || option.value === '0')
      const found = data
        .filter((/** @type {{ id: number }} */ one) => !kept.some(({ value }) => value === String(one.id)))
        .map(
          (/** @type {{ id: number, name?: string, title?: { raw: string } }} */ one) =>
            new Option(one.name ?? one.title?.raw ?? '', String(one.id)),
        )
      select.replaceChildren(...kept, ...found)
      announce(found.length === 0 ? words('none') : String(found.length))
    })
    label.after(input)
  }

  /** Names of terms that begin like the last one. @param {HTMLInputElement} input */
  function suggest(input) {
    const list = document.createElement('datalist')
    list.id = `${input.id}-names`
    input.after(list)
    input.setAttribute('list', list.id)
    let waiting = 0
    input.addEventListener('input', () => {
      clearTimeout(waiting)
      waiting = window.setTimeout(() => void find(), 250)
    })
    const find = async () => {
      const at = input.value.lastIndexOf(',') + 1
      const typed = input.value.slice(at).trim()
      if (typed === '') return
      const { data } = await ask(
        `${input.dataset['suggest']}?search=${encodeURIComponent(typed)}&per_page=10&_fields=name`,
      )
      const before = at === 0 ? '' : `${input.value.slice(0, at)} `
      list.replaceChildren(...data.map((/** @type {{ name: string }} */ { name }) => new Option('', before + name)))
    }
  }

  /** @param {string} text @param {() => void} act */
  function button(text, act) {
    const made = document.createElement('button')
    made.type = 'button'
    made.textContent = text
    made.addEventListener('click', act)
    return made
  }
}

/** @typedef {import('./media-upload.js').Attachment} Attachment */

/** A picture in Markdown. @param {Attachment} picture */
function inMarkdown({ alt_text, source_url }) {
  const alt = alt_text.replace(/[\\[\]]/g, '\\$&').replace(/\s+/g, ' ')
  return `![${alt}](<${source_url.replaceAll('>', '%3E')}>)`
}

/** A picture as a block. @param {Attachment} picture @param {string} mark what comments of blocks begin with */
function inHtml({ id, alt_text, source_url }, mark) {
  const image = document.createElement('img')
  image.setAttribute('src', source_url)
  image.setAttribute('alt', alt_text)
  image.className = `${mark}-image-${id}`
  const figure = document.createElement('figure')
  figure.className = `${mark}-block-image`
  figure.append(image)
  return `<!-- ${mark}:image {"id":${id}} -->\n${figure.outerHTML}\n<!-- /${mark}:image -->`
}
