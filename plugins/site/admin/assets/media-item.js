// The page of a file: focal point and crop.
import { setFocalPointOn } from './focal-point.js'

const decorative = document.querySelector('#field-decorative')
const alt = document.querySelector('#field-alt_text')
if (decorative instanceof HTMLInputElement && alt instanceof HTMLTextAreaElement) {
  // Read-only instead of disabled, so that the text is submitted after the box is unchecked.
  const show = () => void (alt.readOnly = decorative.checked)
  decorative.addEventListener('change', show)
  show()
}

const focal = document.querySelector('#focal')
const [focalX, focalY] = fields(['focal_x', 'focal_y'])
if (focal instanceof HTMLElement && focalX !== undefined && focalY !== undefined) {
  const hint = document.querySelector('#focal-hint')
  if (hint instanceof HTMLElement) hint.hidden = false
  focal.tabIndex = 0
  setFocalPointOn(focal, focalX, focalY)
}

const tools = document.querySelector('#crop-tools')
const start = document.querySelector('#crop-start')
const numbers = fields(['crop_left', 'crop_top', 'crop_width', 'crop_height'])
if (
  tools instanceof HTMLElement &&
  start instanceof HTMLButtonElement &&
  numbers.every((field) => field !== undefined)
) {
  start.hidden = false
  const open = async () => {
    start.disabled = true
    try {
      const { startCropping } = await import('./crop.js')
      tools.hidden = false
      start.hidden = true
      startCropping(tools, numbers)
    } finally {
      start.disabled = false
    }
  }
  start.addEventListener('click', () => void open())
}

/** @param {string[]} names */
function fields(names) {
  return names.map((name) => {
    const field = document.querySelector(`#field-${name}`)
    return field instanceof HTMLInputElement ? field : undefined
  })
}
