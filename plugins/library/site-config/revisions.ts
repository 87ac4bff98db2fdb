import type { AnyPlugin } from '../../../kernel/index.ts'

/** The supported revisions of the REST API, oldest first. */
export const REVISIONS = [
  '4.4',
  '4.7',
  '4.8',
  '5.0',
  '5.3',
  '5.4',
  '5.9',
  '6.1',
  '6.5',
  '6.9',
  '7.1',
  'latest',
] as const
/** A revision of the REST API (specification 9). */
export type Revision = (typeof REVISIONS)[number]

/**
 * Returns whether a revision of the REST API includes the features of a version.
 * @param revision revision of the site; `latest` includes everything
 * @param version such as `6.6`; it need not be a supported revision
 */
export function hasSince(revision: Revision, version: string): boolean {
  return revision === 'latest' || orderOf(revision) >= orderOf(version)
}

/** Returns a number by which versions are compared: 6.10 is after 6.9. */
function orderOf(version: string): number {
  const [major = '', minor = ''] = version.split('.')
  return Number(major) * 1000 + Number(minor)
}

/**
 * Changes to the default plugins in a revision: plugins by name, each disabled (false), replaced or added (`use`), or
 * with other options.
 */
export type RevisionChanges = Readonly<
  Record<string, false | { readonly use?: AnyPlugin; readonly options?: Readonly<Record<string, unknown>> }>
>
