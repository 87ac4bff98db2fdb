// The page of a file: focal point and crop.
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
  const mark = document.createElement('span')
  mark.className = 'focal-mark'
  focal.append(mark)
  const hint = document.querySelector('#focal-hint')
  if (hint instanceof HTMLElement) hint.hidden = false
  const show = () => {
    mark.hidden = focalX.value === '' || focalY.value === ''
    mark.style.left = `${focalX.value}%`
    mark.style.top = `${focalY.value}%`
  }
  for (const field of [focalX, focalY]) field.addEventListener('input', show)
  onDrag(focal, (_from, to) => {
    focalX.value = String(to.x)
    focalY.value = String(to.y)
    focalX.dispatchEvent(new Event('input', { bubbles: true }))
  })
  show()
}

const crop = document.querySelector('#crop')
const [left, top, width, height] = fields(['crop_left', 'crop_top', 'crop_width', 'crop_height'])
if (crop instanceof HTMLElement && left && top && width && height) {
  crop.hidden = false
  const mark = document.createElement('span')
  mark.className = 'crop-mark'
  crop.append(mark)
  const show = () => {
    mark.style.left = `${left.value}%`
    mark.style.top = `${top.value}%`
    mark.style.width = `${width.value}%`
    mark.style.height = `${height.value}%`
  }
  for (const field of [left, top, width, height]) field.addEventListener('input', show)
  onDrag(crop, (from, to) => {
    const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)]
    const [wide, high] = [Math.abs(from.x - to.x), Math.abs(from.y - to.y)]
    // A click without dragging selects nothing.
    if (wide < 1 || high < 1) return
    left.value = String(x)
    top.value = String(y)
    width.value = String(Math.round(wide * 10) / 10)
    height.value = String(Math.round(high * 10) / 10)
    show()
  })
  show()
}

/** @param {string[]} names */
function fields(names) {
  return names.map((name) => {
    const field = document.querySelector(`#field-${name}`)
    return field instanceof HTMLInputElement ? field : undefined
  })
}

/**
 * Reports the pointer positions of a drag, in percent of the width and height of an element.
 * @param {HTMLElement} element
 * @param {(from: { x: number, y: number }, to: { x: number, y: number }) => void} onMove
 */
function onDrag(element, onMove) {
  /** @type {{ x: number, y: number } | null} */
  let from = null
  const at = (/** @type {PointerEvent} */ event) => {
    const box = element.getBoundingClientRect()
    const part = (/** @type {number} */ place, /** @type {number} */ size) =>
      Math.round(Math.min(Math.max(place / size, 0), 1) * 1000) / 10
    return { x: part(event.clientX - box.left, box.width), y: part(event.clientY - box.top, box.height) }
  }
  element.addEventListener('pointerdown', (event) => {
    event.preventDefault()
    element.setPointerCapture(event.pointerId)
    from = at(event)
    onMove(from, from)
  })
  element.addEventListener('pointermove', (event) => {
    if (from !== null) onMove(from, at(event))
  })
  for (const end of ['pointerup', 'pointercancel']) element.addEventListener(end, () => void (from = null))
}
