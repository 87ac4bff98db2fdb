import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { textField } from '../../parts/fields.ts'

/** A point on an image: parts of its width and height from 0 to 1. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** Names of the fields with the point in percent. */
const [ACROSS, DOWN] = ['image_focal_x', 'image_focal_y'] as const

/** Renders the picture on which scripts set the focal point of the featured image, and its number fields. */
export function focalFields(view: AdminView, url: string, point: Point | undefined, error?: string): PageHtml {
  const { t, form } = view
  const percent = (name: string, part: number | undefined) =>
    Object.hasOwn(form, name) ? view.text(name) : part === undefined ? '' : String(Math.round(part * 1000) / 10)
  const field = (name: string, label: string, part: number | undefined, fault?: string) =>
    textField({
      name,
      label,
      type: 'number',
      value: percent(name, part),
      error: fault,
      attributes: html` min="0" max="100" step="0.1"`,
    })
  return html`<fieldset class="field">
    <legend>${t('Focal point')}</legend>
    <div
      class="focal"
      data-focal
      role="group"
      aria-label="${t('Focal point')}"
      aria-describedby="image-focal-hint"
      hidden
    >
      <img src="${url}" alt="" />
    </div>
    <p class="hint" id="image-focal-hint">
      ${t('The part of the image that stays visible when the theme crops it, in percent. Leave empty for the center.')}
    </p>
    <div>${field(ACROSS, t('From left'), point?.x, error)} ${field(DOWN, t('From top'), point?.y)}</div>
  </fieldset>`
}

/**
 * Returns the submitted point; null if both fields are empty, undefined without such fields, or what is wrong with them.
 */
export function submittedPoint(view: AdminView): Point | null | undefined | Fault {
  if (!Object.hasOwn(view.form, ACROSS)) return undefined
  const [across, down] = [view.text(ACROSS).trim(), view.text(DOWN).trim()]
  if (across === '' && down === '') return null
  if (across === '' || down === '') return { fault: view.t('Enter both numbers, or leave both empty.') }
  const [x, y] = [across, down].map((text) => Math.round(Number(text) * 10) / 1000) as [number, number]
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x, y } : { fault: view.t('Enter a number from 0 to 100.') }
}

/** What is wrong with the submitted fields. */
interface Fault {
  readonly fault: string
}

export const isFault = (point: Point | null | undefined | Fault): point is Fault =>
  point !== null && point !== undefined && 'fault' in point
