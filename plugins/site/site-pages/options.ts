export interface SitePagesOptions {
  /**
   * Origin of a separate front end: `https://front.example`. Pages redirect to the same path there; `''` serves them
   * here.
   */
  site: string
}
