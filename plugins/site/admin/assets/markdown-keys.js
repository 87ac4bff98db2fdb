// Keyboard shortcuts in the source of a text.

/** @type {Readonly<Record<string, readonly [string, string]>>} */
const MARKS = { b: ['**', '**'], i: ['*', '*'], k: ['[', '](https://)'] }

/** @param {HTMLFormElement} form @param {HTMLTextAreaElement} content */
export function markdownKeys(form, content) {
  content.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      const save = form.querySelector('[data-save]')
      if (save instanceof HTMLElement) save.focus()
      return
    }
    const mode = form.elements.namedItem('mode')
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
    const letter = event.key.toLowerCase()
    const mark = MARKS[letter]
    if (!isCommand || mark === undefined || !(mode instanceof HTMLInputElement) || mode.value !== 'markdown') return
    event.preventDefault()
    const [before, after] = mark
    const { selectionStart: from, selectionEnd: to } = content
    content.setRangeText(before + content.value.slice(from, to) + after, from, to, 'end')
    const end = to + before.length
    if (letter === 'k') content.setSelectionRange(end + 2, end + after.length - 1)
    else content.setSelectionRange(from + before.length, end)
    content.dispatchEvent(new Event('input', { bubbles: true }))
  })
}
