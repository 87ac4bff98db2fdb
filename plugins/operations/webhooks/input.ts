import { cleanName, invalidParam, type Arguments } from '../../../kernel/index.ts'
import { KINDS } from '../change-feed/index.ts'
import type { NewWebhook } from './webhook.ts'

/** Characters of a URL, a name, a type. */
const LONGEST_URL = 2000
const LONGEST_NAME = 100
const LONGEST_TYPE = 100
const MOST_TYPES = 100

/** The arguments that say what a webhook is. */
export const webhookArguments = {
  url: {
    description: 'URL that is sent what has changed, by POST: http or https, without a user name or a password.',
    type: 'string',
    minLength: 1,
    maxLength: LONGEST_URL,
  },
  name: {
    description: 'What it is called where webhooks are listed; the host of the URL by default.',
    type: 'string',
    maxLength: LONGEST_NAME,
  },
  kinds: {
    description: 'Kinds of changes that are told; all where it is empty.',
    type: 'array',
    items: { type: 'string', enum: KINDS },
    maxItems: KINDS.length,
    uniqueItems: true,
  },
  types: {
    description: 'Content types, taxonomies and types of comments of which changes are told; all where it is empty.',
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: LONGEST_TYPE },
    maxItems: MOST_TYPES,
    uniqueItems: true,
  },
  unpublished: {
    description: 'Whether drafts, held comments and what else visitors do not see are told as well.',
    type: 'boolean',
  },
} as const satisfies Arguments

/** The URL of a webhook as it is stored. @throws rest_invalid_param */
export function checkedUrl(text: string): string {
  const fault = urlFault(text)
  if (fault !== null) throw invalidParam('url', `url ${fault}`)
  return new URL(text).href
}

/** What is wrong with the URL of a webhook, in words that follow its name; null for nothing. */
export function urlFault(text: string): string | null {
  const url = URL.parse(text)
  if (url === null) return 'is not a URL: write https://front.example/hook.'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://.'
  if (url.username !== '' || url.password !== '') {
    return 'must not have a user name or a password: receivers know us by the signature.'
  }
  return url.href.length > LONGEST_URL ? `has more than ${LONGEST_URL} characters.` : null
}

/** The columns of a webhook of what was given of it. @throws rest_invalid_param */
export function columnsOf({ url, name, kinds, types, unpublished }: Partial<NewWebhook>) {
  return {
    ...(url !== undefined && { url: checkedUrl(url) }),
    ...(name !== undefined && { name: cleanName(name).trim() }),
    ...(kinds !== undefined && { kinds: JSON.stringify(kinds) }),
    ...(types !== undefined && { types: JSON.stringify(types) }),
    ...(unpublished !== undefined && { unpublished: unpublished ? 1 : 0 }),
  }
}
