import { sql, type Store } from '../../storage/store/index.ts'
import type { PostQueries } from './query/index.ts'

/** Period by which posts are counted. */
export type PeriodUnit = 'year' | 'month' | 'day'

/** A year, a month or a day in which posts were published: `2025`, `2025-01`, `2025-01-05`. */
export interface PublishedPeriod {
  readonly period: string
  readonly count: number
}

/** Length of the date prefix for each period. */
const LENGTHS: Readonly<Record<PeriodUnit, number>> = { year: 4, month: 7, day: 10 }
/** Maximum number of periods: the days of about 27 years. */
const MAX_PERIODS = 10_000
const PUBLISHED = { types: ['post'], statuses: ['publish'], limit: MAX_PERIODS }

/** Counts published posts per period, newest first. @param within limits the result to one month: `2025-01` */
export async function publishedPeriods(
  store: Store,
  by: PeriodUnit,
  within: string | undefined,
  { tagsOfList }: PostQueries,
): Promise<PublishedPeriod[]> {
  const period = sql<string>`substr(posts.date, 1, ${sql.lit(LENGTHS[by])})`
  const all = store.db
    .selectFrom('posts')
    .select((of) => [period.as('period'), of.fn.countAll<number>().as('count')])
    .where('type', '=', 'post')
    .where('status', '=', 'publish')
    .groupBy(period)
    .orderBy(period, 'desc')
    .limit(MAX_PERIODS)
  const query = within === undefined ? all : all.where('date', '>=', within).where('date', '<', `${within}-99`)
  const rows = await store.all(query, tagsOfList(PUBLISHED))
  return rows.map(({ period, count }) => ({ period, count: Number(count) }))
}
