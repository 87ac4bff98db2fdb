// Selects the area of an image with Cropper.js. Loaded when the user starts cropping.
import Cropper from 'cropperjs'

const STEP = 1
const LARGE_STEP = 10
/** Movement per arrow key: across and down. @type {Readonly<Record<string, readonly [number, number]>>} */
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
/** Tags of Cropper.js, which writes its elements as HTML. No other HTML is accepted. */
const CROPPER_HTML = /^(?:<\/?(?:div|span)(?: (?:class|data-cropper-action|touch-action)="[\w -]*")*>)*$/

const trusted = /** @type {any} */ (window).trustedTypes
trusted?.createPolicy('default', {
  createHTML: (/** @type {string} */ html) => (CROPPER_HTML.test(html) ? html : null),
})

/**
 * Shows the area on the image, and keeps it equal to the number fields.
 * @param {HTMLElement} tools contains the image and the select element with aspect ratios
 * @param {(HTMLInputElement | undefined)[]} numbers fields for left, top, width and height in percent
 */
export function startCropping(tools, numbers) {
  const image = tools.querySelector('img')
  const area = tools.querySelector('[data-area]')
  const ratio = tools.querySelector('select')
  const [left, top, width, height] = numbers
  if (!(image instanceof HTMLImageElement) || !(area instanceof HTMLElement) || !left || !top || !width || !height)
    return
  const all = [left, top, width, height]
  // Cropper.js first selects the whole image, which must not replace the numbers of the form.
  let isTyping = true

  const cropper = new Cropper(image, {
    viewMode: 1,
    autoCropArea: 1,
    background: false,
    checkOrientation: false,
    checkCrossOrigin: false,
    movable: false,
    rotatable: false,
    scalable: false,
    toggleDragModeOnDblclick: false,
    zoomable: false,
    ready: () => {
      setFromFields()
      area.focus()
    },
    crop: ({ detail }) => {
      if (isTyping) return
      const { naturalWidth, naturalHeight } = cropper.getImageData()
      left.value = percent(detail.x / naturalWidth)
      top.value = percent(detail.y / naturalHeight)
      width.value = percent(detail.width / naturalWidth)
      height.value = percent(detail.height / naturalHeight)
      width.dispatchEvent(new Event('input', { bubbles: true }))
    },
  })

  const setFromFields = () => {
    const { naturalWidth, naturalHeight } = cropper.getImageData()
    const [x = 0, y = 0, wide = 100, high = 100] = all.map(({ value }) => Number(value) / 100)
    isTyping = true
    cropper.setData({
      x: x * naturalWidth,
      y: y * naturalHeight,
      width: wide * naturalWidth,
      height: high * naturalHeight,
    })
    isTyping = false
  }
  for (const field of all) field.addEventListener('change', setFromFields)

  ratio?.addEventListener('change', () => {
    const [wide, high] = ratio.value.split(':').map(Number)
    cropper.setAspectRatio(wide && high ? wide / high : Number.NaN)
  })

  area.addEventListener('keydown', (event) => {
    const move = MOVES[event.key]
    if (move === undefined || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const canvas = cropper.getCanvasData()
    const box = cropper.getCropBoxData()
    const step = event.altKey ? LARGE_STEP : STEP
    const [across, down] = [(move[0] * step * canvas.width) / 100, (move[1] * step * canvas.height) / 100]
    if (!event.shiftKey) return void cropper.setCropBoxData({ left: box.left + across, top: box.top + down })
    // With a fixed ratio, Cropper.js computes the height from the width.
    const { aspectRatio = Number.NaN } = /** @type {{ aspectRatio?: number }} */ (
      /** @type {unknown} */ (Reflect.get(cropper, 'options'))
    )
    const wider = Number.isNaN(aspectRatio) ? across : across || down * aspectRatio
    cropper.setCropBoxData({
      width: box.width + wider,
      ...(Number.isNaN(aspectRatio) && { height: box.height + down }),
    })
  })

  tools.querySelector('[data-reset]')?.addEventListener('click', () => {
    if (ratio instanceof HTMLSelectElement) ratio.value = ''
    cropper.setAspectRatio(Number.NaN)
    for (const [index, field] of all.entries()) field.value = index < 2 ? '0' : '100'
    setFromFields()
  })
}

/** @param {number} part */
const percent = (part) => String(Math.round(Math.min(Math.max(part, 0), 1) * 1000) / 10)
