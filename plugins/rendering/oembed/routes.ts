import {
  forbidden,
  type ArgumentSchema,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { StreamedResponse } from '../../library/long-work/index.ts'
import { sanitizeValue } from '../../requests/arguments/index.ts'
import type { OembedAnswer } from './answer.ts'
import { errors } from './errors.ts'
import type { Oembed, OembedOptions } from './service.ts'

const NAMESPACE = 'oembed/1.0'

/**
 * Registers the routes `embed` (posts of the site, public) and `proxy` (pages of any site, for users who can edit
 * posts).
 */
export function registerRoutes({ services }: PluginContext, server: RestServer, oembed: Oembed): void {
  server.registerRoute(NAMESPACE, 'embed', {
    callback: async (request) => {
      // Look-ups by URL do not declare their dependencies.
      request.preventCaching('it was looked up by URL')
      return inFormat(required(await oembed.ofPost(String(request.get('url')), optionsOf(request))), request)
    },
    permission_callback: () => true,
    args: { url: urlArgument('URL of a page of the site.'), format: FORMAT, maxwidth: { default: 600, ...SIDE } },
  })
  server.registerRoute(NAMESPACE, 'proxy', {
    callback: async (request) => {
      request.preventCaching('it depends on another site')
      return required(
        await oembed.ofUrl(String(request.get('url')), { ...optionsOf(request), requester: request.user.id }),
      )
    },
    permission_callback: (request) =>
      services.capabilities.can(request.user, 'edit_posts') || forbidden(request, errors.rest_forbidden),
    args: {
      url: urlArgument('URL of the page to embed.'),
      format: {
        description: 'Format of the response; JSON is always returned.',
        type: 'string',
        enum: ['json', 'xml'],
        ...FORMAT,
      },
      maxwidth: { description: 'Maximum width in pixels.', type: 'integer', default: 600, ...SIDE },
      maxheight: { description: 'Maximum height in pixels.', type: 'integer', ...SIDE },
      discover: {
        description: 'Whether pages can name their own oEmbed endpoint.',
        type: 'boolean',
        default: true,
      },
    },
  })
}

function required(answer: OembedAnswer | null): OembedAnswer {
  if (answer === null) throw errors.oembed_invalid_url()
  return answer
}

function optionsOf(request: RestRequest): OembedOptions {
  const height = request.get('maxheight')
  return {
    width: Number(request.get('maxwidth')),
    ...(typeof height === 'number' && { height }),
    discover: request.get('discover') !== false,
  }
}

function urlArgument(description: string): ArgumentSchema {
  // `sanitize_callback` is off, because clients send URLs that are not well-formed. Lists and objects are still
  // refused.
  return { description, type: 'string', format: 'uri', required: true, sanitize_callback: null }
}

/** Accepts any input, as clients expect; values that are not numbers become 0. */
const SIDE: ArgumentSchema = {
  validate_callback: null,
  sanitize_callback: (value) => {
    // Lists and objects are not numbers, and `String()` throws for objects without a prototype.
    const text = sanitizeValue(value, { type: 'string' }) as string
    return Math.min(Math.abs(Math.trunc(Number.parseFloat(text))) || 0, 10_000)
  },
}

/** `xml` selects XML; any other value selects JSON. */
const FORMAT: ArgumentSchema = {
  default: 'json',
  validate_callback: null,
  sanitize_callback: (value) => (value === 'xml' ? 'xml' : 'json'),
}

/** Returns the response as XML if requested, except inside another response. */
function inFormat(answer: OembedAnswer, request: RestRequest): OembedAnswer | StreamedResponse {
  if (request.get('format') !== 'xml' || !request.streams) return answer
  return new StreamedResponse(
    (stream) => {
      stream.write(toXml({ ...answer }))
      stream.end()
    },
    { 'Content-Type': 'text/xml; charset=UTF-8' },
  )
}

// oxlint-disable-next-line no-control-regex -- what XML cannot hold
const NOT_XML = /[\0-\x08\v\f\x0e-\x1f\uFFFE\uFFFF]/g

function toXml(answer: Readonly<Record<string, unknown>>): string {
  const escaped = (value: unknown) =>
    String(value)
      .toWellFormed()
      .replace(NOT_XML, '')
      .replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`)
  const fields = Object.entries(answer).filter(([name]) => /^[a-z_]+$/.test(name) && name !== '_links')
  const elements = fields.map(([name, value]) => `<${name}>${escaped(value)}</${name}>`).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<oembed>${elements}</oembed>\n`
}
