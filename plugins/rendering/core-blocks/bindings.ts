import type { PluginContext } from '../../../kernel/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'
import type { BlockBinder } from '../blocks/index.ts'
import { objectOf, textOf, urlValue } from './attributes.ts'
import { isOpen, linkOf, modifiedDate, postOf } from './post/current-post.ts'
import { termOf } from './query/current-term.ts'
import { renderingsOf, type CoreBlock, type Rendering } from './renderer.ts'

type Attributes = Readonly<Record<string, unknown>>

/** Where a bound value is written in the HTML of a block: the content of an element, or an attribute of its tag. */
interface Place {
  readonly elements: readonly string[]
  readonly attribute?: string
}

/** Bindable attributes by block type; null for attributes that only a renderer uses. */
const BINDABLE: Readonly<Record<string, Readonly<Record<string, Place | null>>>> = {
  'core/paragraph': { content: { elements: ['p'] } },
  'core/heading': { content: { elements: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] } },
  'core/list-item': { content: { elements: ['li'] } },
  'core/button': {
    text: { elements: ['a', 'button'] },
    url: { elements: ['a'], attribute: 'href' },
    linkTarget: { elements: ['a'], attribute: 'target' },
    rel: { elements: ['a'], attribute: 'rel' },
  },
  'core/image': {
    id: null,
    url: { elements: ['img'], attribute: 'src' },
    alt: { elements: ['img'], attribute: 'alt' },
    title: { elements: ['img'], attribute: 'title' },
    caption: { elements: ['figcaption'] },
  },
  'core/post-date': { datetime: null },
  'core/navigation-link': { url: null },
  'core/navigation-submenu': { url: null },
}

/** Key that binds all bindable attributes of a block. */
const ALL = '__default'
const OVERRIDES = 'core/pattern-overrides'
/** Context of a reusable block: override values for inner blocks, by block name. */
const OVERRIDES_CONTEXT = 'pattern/overrides'

/** Returns the bound attribute values of a block, as specified in `metadata.bindings`. */
async function boundValues(block: CoreBlock, rendering: Rendering): Promise<Attributes> {
  const bindable = Object.hasOwn(BINDABLE, block.name) ? BINDABLE[block.name]! : {}
  const bindings = objectOf(objectOf(block.attributes, 'metadata'), 'bindings')
  const values: Record<string, unknown> = {}
  for (const attribute of Object.keys(bindable)) {
    const specific = objectOf(bindings, attribute)
    const binding = specific['source'] === undefined ? objectOf(bindings, ALL) : specific
    const value = await valueFrom(binding, attribute, block, rendering)
    if (value !== undefined && value !== null) values[attribute] = value
  }
  return values
}

async function valueFrom(binding: Attributes, attribute: string, block: CoreBlock, rendering: Rendering) {
  const args = objectOf(binding, 'args')
  switch (binding['source']) {
    case OVERRIDES:
      return objectOf(objectOf(block.context, OVERRIDES_CONTEXT), nameOf(block))[attribute]
    case 'core/post-meta':
      return metaValue(textOf(args, 'key'), block, rendering)
    case 'core/post-data':
      return postValue(textOf(args, 'field') || textOf(args, 'key'), block, rendering)
    case 'core/term-data':
      return termValue(textOf(args, 'field') || textOf(args, 'key'), block, rendering)
    default:
      return undefined
  }
}

function nameOf({ attributes }: CoreBlock): string {
  return textOf(objectOf(attributes, 'metadata'), 'name')
}

/** Returns a meta value that is public to all readers of the post. */
async function metaValue(key: string, block: CoreBlock, rendering: Rendering): Promise<unknown> {
  const { meta } = rendering.plugin.services
  const post = await postOf(block, rendering)
  if (post === undefined || !isOpen(post, rendering) || key.startsWith('_')) return undefined
  if (!meta.isPublic('post', post.type, key)) return undefined
  const value = await meta.single('post', post.id, key, rendering.scope)
  return typeof value === 'object' ? undefined : value
}

async function postValue(field: string, block: CoreBlock, rendering: Rendering): Promise<unknown> {
  const post = await postOf(block, rendering)
  if (post === undefined) return undefined
  if (field === 'link') return linkOf(post, rendering)
  if (field === 'date') return post.date
  if (field === 'modified') return modifiedDate(post)
  return undefined
}

async function termValue(field: string, block: CoreBlock, rendering: Rendering): Promise<unknown> {
  const term = await termOf(block, rendering)
  if (term === undefined) return undefined
  if (field === 'link') return rendering.plugin.services.permalinks.term(term, rendering.scope)
  const { id, name, slug, description, parent_id: parent, count } = term
  const fields: Attributes = { id, name, slug, description, parent, count }
  return Object.hasOwn(fields, field) ? fields[field] : undefined
}

/** Returns the binder for core blocks: it resolves bound values and writes them into stored HTML. */
export function binderOf(plugin: PluginContext): BlockBinder {
  const renderingOf = renderingsOf(plugin)
  return async (block, place) => {
    const rendering = renderingOf(place)
    const values = await boundValues(block, rendering)
    return { values, write: (html) => withValues(html, block.name, values, rendering) }
  }
}

/** Writes attribute values into the HTML of a block. */
function withValues(html: string, name: string, values: Attributes, rendering: Rendering): string {
  let changed = html
  for (const [attribute, value] of Object.entries(values)) {
    const place = BINDABLE[name]?.[attribute]
    if (place) changed = withValue(changed, place, String(value), rendering)
  }
  return changed
}

function withValue(html: string, { elements, attribute }: Place, value: string, rendering: Rendering): string {
  const pieces = [...rendering.plugin.services.contentRendering.pieces(html)]
  const at = pieces.findIndex(({ kind, name }) => kind === 'open' && elements.includes(name))
  if (at < 0) return html
  const before = pieces.slice(0, at).map(({ text }) => text)
  const { name: element, text: tag } = pieces[at]!
  if (attribute !== undefined) {
    const isUrl = attribute === 'href' || attribute === 'src'
    const written = isUrl ? urlValue(value) : escapeHtml(value)
    const rest = pieces.slice(at + 1).map(({ text }) => text)
    return [...before, withAttribute(tag, attribute, written), ...rest].join('')
  }
  const end = pieces.findLastIndex(({ kind, name }) => kind === 'close' && name === element)
  if (end < at) return html
  return [...before, tag, rendering.richText(value), ...pieces.slice(end).map(({ text }) => text)].join('')
}

/** Sets an attribute of a tag, replacing an existing one. @param value already escaped */
function withAttribute(tag: string, name: string, value: string): string {
  const written = `${name}="${value}"`
  const existing = new RegExp(`(\\s)${name}\\s*=\\s*(?:"[^"]*"|'[^']*'|[^\\s"'>]+)`, 'i')
  return existing.test(tag)
    ? tag.replace(existing, (_, space: string) => `${space}${written}`)
    : tag.replace(/^<[a-z][a-z\d]*/i, (start) => `${start} ${written}`)
}
