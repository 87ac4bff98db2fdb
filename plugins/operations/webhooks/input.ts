import { cleanName, invalidParam, type Arguments } from '../../../kernel/index.ts'
import { KINDS } from '../change-feed/index.ts'
import type { NewWebhook } from './webhook.ts'

/** Lengths in characters. */
const MAX_URL_LENGTH = 2000
const MAX_NAME_LENGTH = 100
const MAX_TYPE_LENGTH = 100
const MAX_TYPES = 100

/** Arguments for creating and changing a webhook. */
export const webhookArguments = {
  url: {
    description: 'URL that changes are posted to: http or https, without a user name or a password.',
    type: 'string',
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
  },
  name: {
    description: 'Name of the webhook; the host of the URL by default.',
    type: 'string',
    maxLength: MAX_NAME_LENGTH,
  },
  kinds: {
    description: 'Kinds of changes to send; all if empty.',
    type: 'array',
    items: { type: 'string', enum: KINDS },
    maxItems: KINDS.length,
    uniqueItems: true,
  },
  types: {
    description: 'Content types, taxonomies and comment types whose changes are sent; all if empty.',
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MAX_TYPE_LENGTH },
    maxItems: MAX_TYPES,
    uniqueItems: true,
  },
  unpublished: {
    description: 'Whether changes that visitors cannot see, such as drafts and held comments, are sent too.',
    type: 'boolean',
  },
} as const satisfies Arguments

/** Validates and normalizes the URL of a webhook. @throws rest_invalid_param */
export function checkedUrl(text: string): string {
  const fault = urlFault(text)
  if (fault !== null) throw invalidParam('url', `url ${fault}`)
  return new URL(text).href
}

/** The fault of a webhook URL, phrased to follow the word "url"; null if the URL is valid. */
export function urlFault(text: string): string | null {
  const url = URL.parse(text)
  if (url === null) return 'is not a URL: write https://front.example/hook.'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://.'
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user name or a password: receivers verify the signature instead.'
  }
  return url.href.length > MAX_URL_LENGTH ? `has more than ${MAX_URL_LENGTH} characters.` : null
}

/** Converts the given fields of a webhook to columns. @throws rest_invalid_param */
export function columnsOf({ url, name, kinds, types, unpublished }: Partial<NewWebhook>) {
  return {
    ...(url !== undefined && { url: checkedUrl(url) }),
    ...(name !== undefined && { name: cleanName(name).trim() }),
    ...(kinds !== undefined && { kinds: JSON.stringify(kinds) }),
    ...(types !== undefined && { types: JSON.stringify(types) }),
    ...(unpublished !== undefined && { unpublished: unpublished ? 1 : 0 }),
  }
}
