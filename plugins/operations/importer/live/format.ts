import { formatReport } from '../report.ts'
import type { LiveComparison, LiveGap, LiveProbe, LiveProgress, LiveReport } from './types.ts'

/** Deleted objects that a report names. */
const MAX_NAMED = 20
/** Label of each phase in a line of progress. */
const PHASES: Readonly<Record<LiveProgress['phase'], string>> = {
  reading: 'Reading the old site',
  storing: 'Storing',
  downloading: 'Downloading media files',
  comparing: 'Comparing both sites',
}

/** Formats the result of a probe as lines of text. */
export function formatProbe({ from, gaps, kinds, plugins, requests, root, seconds, user }: LiveProbe): string {
  const width = Math.max(...kinds.map(({ kind }) => kind.length), 10)
  const lines = kinds.map(({ count, kind, statuses = {} }) => {
    const parts = Object.entries(statuses).map(([status, number]) => `${status} ${number}`)
    const detail = parts.length > 1 ? `  ${parts.join(', ')}` : ''
    return `  ${kind.padEnd(width)}  ${String(count ?? '?').padStart(8)}${detail}`
  })
  return [
    `${from} (${root}) as ${user === null ? 'a visitor' : `the user ${user}`}. Nothing was changed.`,
    '',
    'Would come:',
    ...lines,
    ...gapLines('Would not come:', gaps),
    ...(plugins.length > 0
      ? [
          '',
          'Plugins of the old site with routes:',
          ...plugins.map(({ name, namespace }) => `  ${name} (${namespace})`),
        ]
      : []),
    '',
    `About ${requests} requests and ${duration(seconds)}, without media files and revisions.`,
  ].join('\n')
}

/** Formats the report of an import from a running site as lines of text. */
export function formatLiveReport(report: LiveReport): string {
  const { comparison, deleted, gaps, requests, since } = report
  const { bytes: _bytes, ...rest } = report
  return [
    // There is no file with a size.
    formatReport({ ...rest, bytes: 0 }).replace(' (0.0 MB in ', ' (in '),
    '',
    `${requests} requests to the old site${since === null ? '' : `; only changes since ${since}`}.`,
    ...gapLines('Not imported:', gaps),
    ...deletedLines(deleted),
    ...(comparison === null ? [] : comparisonLines(comparison)),
  ].join('\n')
}

/** Formats the progress in one line. */
export function formatProgress({ done, phase, rate, secondsLeft, total }: LiveProgress): string {
  const of = total > 0 ? ` of ${total}` : ''
  const left = secondsLeft === null || secondsLeft === 0 ? '' : `, ${duration(secondsLeft)} left`
  const speed = rate > 0 ? ` (${Math.round(rate)} per second${left})` : ''
  return `${PHASES[phase]}: ${done}${of}${speed}`
}

function gapLines(title: string, gaps: readonly LiveGap[]): string[] {
  return gaps.length === 0 ? [] : ['', title, ...gaps.map(({ reason, subject }) => `  ${subject}: ${reason}`)]
}

function deletedLines(deleted: LiveReport['deleted']): string[] {
  if (deleted.length === 0) return []
  const followed = deleted.filter((one) => one.followed).length
  const names = deleted
    .slice(0, MAX_NAMED)
    .map(({ object, followed: isGone }) => (isGone ? `${object} (also here)` : object))
  const more = deleted.length > MAX_NAMED ? ', …' : ''
  const advice = followed === 0 ? ' To move them to the trash here, run again with --follow-deletions.' : ''
  return [
    '',
    `Deleted on the old site since the last import: ${deleted.length}.${advice}`,
    `  ${names.join(', ')}${more}`,
  ]
}

function comparisonLines({ differences, routes }: LiveComparison): string[] {
  const width = Math.max(...routes.map(({ route }) => route.length), 10)
  const row = (route: string, old: string, here: string, compared: string) =>
    `  ${route.padEnd(width)}  ${old.padStart(8)}  ${here.padStart(8)}  ${compared.padStart(8)}`
  const unexplained = differences.filter(({ explained }) => !explained)
  return [
    '',
    'Comparison of both sites:',
    row('', 'old', 'here', 'compared'),
    ...routes.map(({ compared, here, old, route }) => row(route, String(old ?? '?'), String(here), String(compared))),
    ...(differences.length === 0 ? ['  No differences.'] : []),
    ...differences.map(({ count, examples, explained, field, reason, route }) => {
      const place = field === '' ? route : `${route} ${field}`
      return `  ${explained ? '' : 'UNEXPLAINED '}${count} × ${place}: ${reason} (${examples.join(', ')})`
    }),
    ...(differences.length > 0 ? [`  ${unexplained.length} kinds of differences are unexplained.`] : []),
  ]
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`
}
