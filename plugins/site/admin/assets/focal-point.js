// Sets the focal point of an image by pointer and arrow keys. Its numbers are fields in percent.

const STEP = 1
const LARGE_STEP = 10
/** Movement per arrow key: across and down. @type {Readonly<Record<string, readonly [number, number]>>} */
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/**
 * Lets users set the focal point on an image. The fields keep working.
 * @param {HTMLElement} area contains the image
 * @param {HTMLInputElement} across field with the distance from the left
 * @param {HTMLInputElement} down field with the distance from the top
 */
export function setFocalPointOn(area, across, down) {
  const mark = document.createElement('span')
  mark.className = 'focal-mark'
  area.append(mark)
  const show = () => {
    mark.hidden = across.value === '' || down.value === ''
    mark.style.left = `${across.value}%`
    mark.style.top = `${down.value}%`
  }
  /** @param {number} x @param {number} y */
  const set = (x, y) => {
    across.value = String(rounded(x))
    down.value = String(rounded(y))
    across.dispatchEvent(new Event('input', { bubbles: true }))
  }
  for (const field of [across, down]) field.addEventListener('input', show)
  area.addEventListener('keydown', (event) => {
    const move = MOVES[event.key]
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const step = event.shiftKey ? LARGE_STEP : STEP
    const from = (/** @type {HTMLInputElement} */ { value }) => (value === '' ? 50 : Number(value) || 0)
    set(from(across) + move[0] * step, from(down) + move[1] * step)
  })
  let isDragging = false
  const setAt = (/** @type {PointerEvent} */ event) => {
    const box = area.getBoundingClientRect()
    set(((event.clientX - box.left) / box.width) * 100, ((event.clientY - box.top) / box.height) * 100)
  }
  area.addEventListener('pointerdown', (event) => {
    event.preventDefault()
    area.focus()
    area.setPointerCapture(event.pointerId)
    isDragging = true
    setAt(event)
  })
  area.addEventListener('pointermove', (event) => {
    if (isDragging) setAt(event)
  })
  for (const end of ['pointerup', 'pointercancel']) area.addEventListener(end, () => void (isDragging = false))
  show()
}

/** @param {number} percent */
const rounded = (percent) => Math.round(Math.min(Math.max(percent, 0), 100) * 10) / 10
