export interface SitePagesOptions {
  /**
   * Origin of a separate front end: `https://front.example`. Pages redirect to the same path there, without parameters
   * that grant access, and this site accepts no comment forms; `''` serves pages here.
   */
  site: string
}
