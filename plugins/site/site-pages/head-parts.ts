import type { ShownPage } from './hooks.ts'
import type { SiteTexts } from './site-texts.ts'
import type { Subject } from './subject.ts'

/** The data that the head of a page is built from. */
export interface HeadParts {
  readonly page: ShownPage
  readonly subject: Subject
  readonly site: SiteTexts
  /** Whether the reader may see the texts of the post. */
  readonly isOpened: boolean
  /** Whether search engines may index the site. */
  readonly isIndexed: boolean
  readonly urlOf: (page: number) => string
  /** REST route of the post, term or author; otherwise ''. */
  readonly route: string
}
