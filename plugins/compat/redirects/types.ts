/** How the URL of a redirect is compared. */
export interface SourceFlags {
  /** `exact` compares all parameters in any order, `ignore` none, `pass` none and adds them to the target. */
  readonly flag_query: 'exact' | 'exactorder' | 'ignore' | 'pass'
  /** Whether case is ignored. */
  readonly flag_case: boolean
  /** Whether a slash at the end is ignored. */
  readonly flag_trailing: boolean
  /** Whether the URL is a regular expression. */
  readonly flag_regex: boolean
}

/** The targets and conditions of a redirect; which keys exist depends on the type of the match. */
export type ActionData = Readonly<Record<string, string | boolean | readonly string[]>>

/** The part of a redirect that is stored as JSON. */
export interface Rule {
  readonly flags: SourceFlags
  readonly action_code: number
  readonly action_type: string
  readonly action_data: ActionData | null
  readonly match_type: string
  readonly title: string
}

/** A redirect. */
export interface Redirect extends Rule {
  readonly id: number
  readonly group_id: number
  readonly position: number
  readonly enabled: boolean
  /** Path with an optional query, or a regular expression. */
  readonly url: string
}

/** A group of redirects. */
export interface Group {
  readonly id: number
  readonly name: string
  readonly module_id: number
  readonly enabled: boolean
  readonly position: number
}

/** Hits of a redirect. `last_access` is UTC: `2026-01-31 10:15:00`. */
export interface Hits {
  readonly hits: number
  readonly last_access: string
}

/** A URL that was not found. */
export interface MissingUrl extends Hits {
  readonly url: string
  readonly agent: string
  readonly referrer: string
}
