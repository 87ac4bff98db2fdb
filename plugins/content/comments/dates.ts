import { datePair, type TimeZone } from '../../resources/index.ts'
import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import type { Comment } from './comment.ts'
import type { CommentQuery } from './query.ts'

type Services = PluginContext['services']

/**
 * The date that a request gives, as it is stored: in the time zone of the site and in UTC. Null where it gives none, or
 * the one that the comment has: the site may have been in another zone then.
 */
export async function dateOf(
  services: Services,
  request: RestRequest,
  before: Pick<Comment, 'date'> | null,
): Promise<Pick<Comment, 'date' | 'date_gmt'> | null> {
  const zone = await zoneOf(services)
  const [local, utc] = [request.get('date'), request.get('date_gmt')]
  const pair = local !== undefined ? datePair(local, zone) : datePair(utc, zone, { utc: true })
  const isUnchanged = local !== undefined && pair?.[0] === before?.date
  return pair === null || isUnchanged ? null : { date: pair[0], date_gmt: pair[1] }
}

/** The dates that a request limits a list to. */
export async function dateRangeOf(
  services: Services,
  request: RestRequest,
): Promise<Pick<CommentQuery, 'after' | 'before'>> {
  const [after, before] = [request.get('after'), request.get('before')]
  if (after === undefined && before === undefined) return {}
  const zone = await zoneOf(services)
  const [from, to] = [datePair(after, zone)?.[0], datePair(before, zone)?.[0]]
  return { ...(from !== undefined && { after: from }), ...(to !== undefined && { before: to }) }
}

export function zoneOf({ options }: Services): Promise<TimeZone> {
  return options.get<TimeZone>('timezone', 'UTC')
}
