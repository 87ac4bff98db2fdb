// The setup of a new site: guesses the time zone, and shows the chosen theme and colors in the preview.

const guessed = document.querySelector('[data-guess-timezone] select[name="timezone"]')
if (guessed instanceof HTMLSelectElement && guessed.value === 'UTC') {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  if ([...guessed.options].some(({ value }) => value === zone)) guessed.value = zone
}

const form = document.querySelector('form[data-welcome="appearance"]')
const frame = document.querySelector('iframe[data-welcome-frame]')
if (form instanceof HTMLFormElement && frame instanceof HTMLIFrameElement) showChoices(form, frame)

/**
 * @param {HTMLFormElement} form
 * @param {HTMLIFrameElement} frame
 */
function showChoices(form, frame) {
  const colors = form.querySelector('[data-welcome-colors]')
  const note = form.querySelector('[data-welcome-note]')
  /** Colors when the page was opened. @type {Map<string, string>} */
  const initial = new Map()
  const fields = [...form.querySelectorAll('[data-colour]')].filter((field) => field instanceof HTMLInputElement)
  for (const field of fields) initial.set(field.name, field.value)

  const paint = () => {
    const root = frame.contentDocument?.documentElement
    if (root === undefined || (colors instanceof HTMLElement && colors.hidden)) return
    for (const field of fields) {
      const name = `--${frame.dataset['mark']}--preset--color--${field.dataset['colour']}`
      if (field.value === initial.get(field.name)) root.style.removeProperty(name)
      else root.style.setProperty(name, field.value)
    }
  }
  frame.addEventListener('load', paint)
  form.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement && target.name === 'theme') showTheme(target)
    else paint()
  })

  /** @param {HTMLInputElement} theme */
  function showTheme(theme) {
    const isActive = 'active' in theme.dataset
    const { url = '' } = theme.dataset
    if (frame.src !== url) frame.src = url
    // The colors of the form belong to the active theme.
    if (colors instanceof HTMLElement) colors.hidden = !isActive
    if (note instanceof HTMLElement) note.hidden = isActive
  }
}
