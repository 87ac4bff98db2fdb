// Updates the sample on the appearance page from the form.

const form = document.querySelector('form[data-appearance]')
const sample = document.querySelector('[data-sample]')
const fonts = document.querySelector('[data-fonts]')

if (form instanceof HTMLFormElement && sample instanceof HTMLElement && fonts instanceof HTMLElement) {
  /** @type {Record<string, string>} */
  const families = JSON.parse(fonts.dataset['fonts'] ?? '{}')
  const show = () => {
    /** @type {Map<string, string>} */
    const values = new Map(Object.entries(families))
    for (const field of form.querySelectorAll('[data-colour]'))
      if (field instanceof HTMLInputElement) values.set(field.dataset['colour'] ?? '', field.value)
    for (const field of form.querySelectorAll('[data-look]')) {
      if (!(field instanceof HTMLSelectElement)) continue
      const slug = field.value || (field.dataset['theme'] ?? '')
      const name = (field.dataset['look'] ?? '').replace('_', '-')
      sample.style.setProperty(`--sample-${name}`, values.get(slug) ?? slug)
    }
  }
  form.addEventListener('input', show)
  show()
}
