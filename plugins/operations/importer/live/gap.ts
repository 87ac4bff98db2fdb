import { inEnglish, type ReportPhrase } from '../phrases.ts'
import type { LiveGap } from './types.ts'

/** Creates a gap. @param subject a phrase, or a kind such as `post items` */
export function gapOf(subject: ReportPhrase | string, reason: ReportPhrase): LiveGap {
  return { subject: inEnglish(subject), reason: inEnglish(reason), phrases: { subject, reason } }
}
