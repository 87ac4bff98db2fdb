import { datePair, type TimeZone } from '../../resources/index.ts'
import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import type { Comment } from './comment.ts'
import type { CommentQuery } from './query.ts'

type Services = PluginContext['services']

/**
 * Returns the date that a request sets, in the site's time zone and in UTC. Returns null if it sets none or repeats the
 * stored local date, because the site's time zone may have changed since.
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

/** Returns the date range of a list request. */
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
