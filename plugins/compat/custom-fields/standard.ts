import type { PluginContext, RestRequest } from '../../public.ts'
import { formatDate, parseDate } from '../php-date.ts'
import { lightValue, withDefault } from './light.ts'
import { isMultiple, isOn, textSetting, type Field } from './model.ts'
import { ObjectRows } from './object-rows.ts'
import { isEmpty } from './shape.ts'
import type { Target } from './targets.ts'

/** The object and request for which values are formatted. */
export interface FormatContext {
  readonly target: Target
  readonly request: RestRequest
}

/** The format `standard`: each value as the settings of its field say. */
export class StandardFormat {
  readonly #plugin: PluginContext
  readonly #rows: ObjectRows

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    this.#rows = new ObjectRows(plugin)
  }

  /** Returns the value of a field without inner fields; it can be a promise. */
  value(field: Field, stored: unknown, context: FormatContext): unknown {
    switch (field.type) {
      case 'number':
      case 'range':
      case 'color_picker':
        return field.type === 'color_picker' ? colorOf(field, stored) : withDefault(field, stored)
      case 'true_false':
        return lightValue(field, stored)
      case 'textarea':
        return this.#paragraphs(field, withDefault(field, stored))
      case 'wysiwyg':
        return this.#content(withDefault(field, stored), context)
      case 'oembed':
        return this.#embed(field, stored, context)
      case 'image':
      case 'file':
        return isEmpty(stored) ? false : this.#rows.file(Number(stored), formatOf(field, 'array'), context.request)
      case 'gallery':
        return isEmpty(stored) ? false : this.#files(field, stored, context)
      case 'select':
      case 'checkbox':
      case 'radio':
      case 'button_group':
        return choicesOf(field, stored)
      case 'link':
        return linkOf(field, stored)
      case 'post_object':
      case 'relationship':
        return this.#posts(field, stored, context)
      case 'page_link':
        return this.#pages(field, stored, context)
      case 'taxonomy':
        return this.#terms(field, stored, context)
      case 'user':
        return this.#users(field, stored, context)
      case 'google_map':
        return isEmpty(stored) ? false : stored
      case 'date_picker':
      case 'date_time_picker':
      case 'time_picker':
        return dateOf(field, stored)
      case 'icon_picker':
        return this.#icon(field, stored, context)
      default:
        return withDefault(field, stored)
    }
  }

  #paragraphs(field: Field, value: unknown): unknown {
    if (typeof value !== 'string' || value === '') return value
    const lines = textSetting(field, 'new_lines')
    if (lines === 'br') return value.replaceAll('\r\n', '\n').replaceAll('\n', '<br />\n')
    return lines === 'wpautop' ? this.#plugin.services.contentRendering.longParagraphs(value) : value
  }

  /** Renders a text as the content of the post that it belongs to. */
  async #content(value: unknown, { target, request }: FormatContext): Promise<unknown> {
    if (typeof value !== 'string' || value === '') return value
    const { contentRendering, posts } = this.#plugin.services
    const post = target.type.kind === 'post' ? await posts.get(target.id, request.scope) : undefined
    const place = post ?? { id: 0, type: 'post', status: 'publish', title: '', content: '', excerpt: '' }
    return withLateAttributes(await contentRendering.content({ ...place, content: value }, request.scope))
  }

  async #embed(field: Field, stored: unknown, { request }: FormatContext): Promise<unknown> {
    if (stored === undefined) return null
    if (typeof stored !== 'string' || stored === '') return stored
    const link = this.#rows.link(stored)
    const { has, services } = this.#plugin
    if (!has('oembed')) return link
    const width = Number(textSetting(field, 'width')) || 640
    const height = Number(textSetting(field, 'height')) || 390
    // Only posts of this site: a page of another site must not be requested for each client.
    const answer = await services.oembed.ofPost(stored, { width, height })
    request.dependsOn('table:posts')
    return answer?.html ?? link
  }

  async #files(field: Field, stored: unknown, { request }: FormatContext): Promise<unknown> {
    const files = await Promise.all(
      [stored].flat().map((id) => this.#rows.file(Number(id), formatOf(field, 'array'), request)),
    )
    return files.filter((file) => file !== false)
  }

  async #posts(field: Field, stored: unknown, { request }: FormatContext): Promise<unknown> {
    if (field.type === 'relationship' && stored === undefined) return null
    if (isEmpty(stored)) return field.type === 'relationship' ? '' : false
    const shown = await this.#rows.posts(numbersOf(stored), formatOf(field, 'object'), request)
    return isMultiple(field) || Array.isArray(stored) ? shown : (shown[0] ?? false)
  }

  async #pages(field: Field, stored: unknown, { request }: FormatContext): Promise<unknown> {
    if (stored === undefined) return null
    if (isEmpty(stored)) return stored
    const urls = await Promise.all([stored].flat().map((value) => this.#rows.url(value, request)))
    const found = urls.filter((url) => url !== null)
    return isMultiple(field) || Array.isArray(stored) ? found : (found[0] ?? null)
  }

  async #terms(field: Field, stored: unknown, { request }: FormatContext): Promise<unknown> {
    if (isEmpty(stored)) return false
    const format = formatOf(field, 'id')
    const shown = await this.#rows.terms(numbersOf(stored), textSetting(field, 'taxonomy'), format, request)
    return isMultiple(field) ? shown : (shown[0] ?? false)
  }

  async #users(field: Field, stored: unknown, { request }: FormatContext): Promise<unknown> {
    if (isEmpty(stored)) return false
    const shown = await this.#rows.users(numbersOf(stored), formatOf(field, 'array'), request)
    return isMultiple(field) || Array.isArray(stored) ? shown : (shown[0] ?? false)
  }

  async #icon(field: Field, stored: unknown, { request }: FormatContext): Promise<unknown> {
    const icon = withDefault(field, stored)
    if (typeof icon !== 'object' || icon === null) return { type: null, value: null }
    if (formatOf(field, 'string') === 'array') return icon
    const { type, value } = icon as { type?: unknown; value?: unknown }
    return type === 'media_library' ? this.#rows.file(Number(value), 'url', request) : (value ?? null)
  }
}

const IMAGE_ATTRIBUTES = 'loading="lazy" decoding="async" '

/** Moves the loading attributes of images in galleries to the end of the element, where clients know them. */
function withLateAttributes(html: string): string {
  const [first = '', ...images] = html.split(`<img ${IMAGE_ATTRIBUTES}`)
  const moved = images.map((rest) => {
    const end = rest.indexOf(' />')
    const attributes = rest.slice(0, end)
    if (end < 0 || !attributes.includes('class="attachment-')) return `<img ${IMAGE_ATTRIBUTES}${rest}`
    return `<img ${attributes} decoding="async" loading="lazy"${rest.slice(end)}`
  })
  return first + moved.join('')
}

/** Returns the return format of a field. */
const formatOf = (field: Field, fallback: string): string => textSetting(field, 'return_format') || fallback

function numbersOf(stored: unknown): number[] {
  return [stored]
    .flat()
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0)
}

function choicesOf(field: Field, stored: unknown): unknown {
  const value = lightValue(field, stored)
  const format = formatOf(field, 'value')
  const shown = (one: unknown): unknown => {
    const label = field.choices.find(([choice]) => choice === String(one))?.[1] ?? one
    if (format === 'array') return { value: one, label }
    return format === 'label' ? label : one
  }
  if (Array.isArray(value)) return value.map(shown)
  if (field.type === 'checkbox') return isEmpty(value) ? [] : [shown(value)]
  return isEmpty(value) ? value : shown(value)
}

function linkOf(field: Field, stored: unknown): unknown {
  if (stored === undefined) return null
  if (isEmpty(stored)) return ''
  if (typeof stored !== 'object') return stored
  return formatOf(field, 'array') === 'url' ? ((stored as { url?: unknown }).url ?? '') : stored
}

const DATE_FORMATS: Readonly<Record<string, string>> = {
  date_picker: 'd/m/Y',
  date_time_picker: 'd/m/Y g:i a',
  time_picker: 'g:i a',
}

function dateOf(field: Field, stored: unknown): unknown {
  if (stored === undefined) return null
  const date = typeof stored === 'string' ? parseDate(stored) : null
  return date === null ? stored : formatDate(date, formatOf(field, DATE_FORMATS[field.type]!))
}

function colorOf(field: Field, stored: unknown): unknown {
  const value = withDefault(field, stored)
  if (formatOf(field, 'string') !== 'array') return value
  const none = { red: 0, green: 0, blue: 0, alpha: 0 }
  if (typeof value !== 'string' || !isOn(value)) return none
  if (value.startsWith('#')) return hexColor(value.slice(1)) ?? none
  const [red, green, blue, alpha = 1] = value
    .slice(value.indexOf('(') + 1, value.lastIndexOf(')'))
    .split(',')
    .map(Number)
  return [red, green, blue, alpha].some((part) => part === undefined || Number.isNaN(part))
    ? none
    : { red, green, blue, alpha }
}

/** Reads a color of three or six hexadecimal digits; null for other texts. */
function hexColor(digits: string) {
  const size = digits.length === 3 ? 1 : 2
  const parts = [0, 1, 2].map((part) => digits.slice(part * size, (part + 1) * size).repeat(3 - size))
  const [red, green, blue] = parts.map((part) => Number.parseInt(part, 16))
  return parts.some((part) => part.length < 2 || Number.isNaN(Number.parseInt(part, 16)))
    ? null
    : { red, green, blue, alpha: 1 }
}
