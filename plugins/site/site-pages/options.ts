export interface SitePagesOptions {
  /** Where the pages are, if not here: `https://front.example`. URLs of pages lead to the same path there; '' for nowhere else. */
  site: string
}
