/** Flags of imports that decide about the HTML of contents. */
export type HtmlFlags = Partial<Record<'trust-html' | 'filter-html', boolean>>

/**
 * Returns the option `trustHtml` of an import: the owner of the machine imports the HTML that administrators of the site
 * may write, unless a flag says otherwise.
 */
export function trustOf(flags: HtmlFlags): boolean | 'administrators' {
  if (flags['trust-html'] === true) return true
  return flags['filter-html'] === true ? false : 'administrators'
}
