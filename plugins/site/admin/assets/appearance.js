// Updates the sample and the contrast on the appearance page from the form.

import { contrastOf, toHexColor } from './contrast.js'

/** Minimum contrast of text (WCAG 2, AA). */
const MIN_CONTRAST_RATIO = 4.5

const form = document.querySelector('form[data-appearance]')
const sample = document.querySelector('[data-sample]')
const fonts = document.querySelector('[data-fonts]')

if (form instanceof HTMLFormElement && sample instanceof HTMLElement && fonts instanceof HTMLElement) {
  /** @type {Record<string, string>} */
  const families = JSON.parse(fonts.dataset['fonts'] ?? '{}')
  const show = () => {
    /** @type {Map<string, string>} */
    const values = new Map(Object.entries(families))
    /** @type {Map<string, string>} */
    const chosen = new Map()
    for (const field of form.querySelectorAll('[data-colour]'))
      if (field instanceof HTMLInputElement) values.set(field.dataset['colour'] ?? '', field.value)
    for (const field of form.querySelectorAll('[data-look]')) {
      if (!(field instanceof HTMLSelectElement)) continue
      const slug = field.value || (field.dataset['theme'] ?? '')
      const name = (field.dataset['look'] ?? '').replace('_', '-')
      sample.style.setProperty(`--sample-${name}`, values.get(slug) ?? slug)
      chosen.set(name, values.get(slug) ?? slug)
    }
    showContrast(chosen)
  }
  form.addEventListener('input', show)
  show()
}

/**
 * Shows the contrast of texts and links.
 * @param {ReadonlyMap<string, string>} colors colors by field: `background`, `text`, `link`
 */
function showContrast(colors) {
  const list = document.querySelector('[data-contrasts]')
  if (!(list instanceof HTMLElement)) return
  const background = toHexColor(colors.get('background') ?? '')
  for (const row of list.querySelectorAll('[data-contrast]')) {
    if (!(row instanceof HTMLElement)) continue
    const { contrast = '', label = '' } = row.dataset
    const color = toHexColor(colors.get(contrast) ?? '')
    const ratio = background === null || color === null ? null : contrastOf(background, color)
    const isLow = ratio !== null && ratio < MIN_CONTRAST_RATIO
    for (const name of ['notice', 'warning']) row.classList.toggle(name, isLow)
    const shown = ratio?.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 })
    const text = shown === undefined ? list.dataset['unknown'] : `${shown} : 1`
    row.textContent = `${label}: ${text}${isLow ? `. ${list.dataset['low']}` : ''}`
  }
}
