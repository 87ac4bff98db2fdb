import { cutSlug } from '../../site/permalinks/index.ts'
import type { Counters } from './report.ts'
import type { WxrMeta, WxrRecord } from './wxr.ts'

/** Longest email address there can be, in characters. */
export const LONGEST_EMAIL = 254
/** Longest login name, in characters. */
export const LONGEST_LOGIN = 60
/** Longest key of an extra value, in characters. */
export const LONGEST_KEY = 255
/** Longest name of a type, taxonomy or status, in characters. */
const LONGEST_KIND = 200
/** Longest name of a term, in characters. */
const LONGEST_TERM = 400

/**
 * Cuts what indexes hold whole, and so have a bound for, where a file has it longer: names, never texts. No site of
 * this family exports anything of the kind.
 */
export function shorten(record: WxrRecord, counters: Counters): void {
  const fit = (text: string, longest: number, what: string): string => {
    if (text.length <= longest) return text
    counters.note(`${what} longer than ${longest} characters; cut`, text)
    return text.slice(0, longest).toWellFormed()
  }
  const kind = (text: string) => fit(text, LONGEST_KIND, 'type, taxonomy or status')
  const slug = (text: string) => {
    const short = cutSlug(text)
    if (short !== text) counters.note('slug longer than 200 characters; cut', text)
    return short
  }
  const email = (text: string) => {
    if (text.length <= LONGEST_EMAIL) return text
    counters.note(`email address longer than ${LONGEST_EMAIL} characters; left out`, text)
    return ''
  }
  const keys = (values: WxrMeta[]) => {
    for (const meta of values) meta.key = fit(meta.key, LONGEST_KEY, 'key of an extra value')
  }

  if (record.kind === 'author') {
    record.login = fit(record.login, LONGEST_LOGIN, 'login')
    record.email = email(record.email)
  } else if (record.kind === 'term') {
    record.taxonomy = kind(record.taxonomy)
    record.slug = slug(record.slug)
    record.parent = slug(record.parent)
    record.name = fit(record.name, LONGEST_TERM, 'name of a term')
    keys(record.meta)
  } else if (record.kind === 'item') {
    record.type = kind(record.type)
    record.status = kind(record.status)
    record.slug = slug(record.slug)
    record.creator = fit(record.creator, LONGEST_LOGIN, 'login')
    keys(record.meta)
    for (const term of record.terms) {
      term.taxonomy = kind(term.taxonomy)
      term.slug = slug(term.slug)
      term.name = fit(term.name, LONGEST_TERM, 'name of a term')
    }
    for (const comment of record.comments) {
      comment.type = kind(comment.type)
      comment.approved = kind(comment.approved)
      comment.email = email(comment.email)
      keys(comment.meta)
    }
  }
}
