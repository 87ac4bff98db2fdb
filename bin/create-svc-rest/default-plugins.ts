/** Names of the plugins that every site has: no other plugin can be called so. */
export const DEFAULT_PLUGINS: ReadonlySet<string> = new Set(
  `actions allow-header application-passwords attempts autosaves batch blocks change-feed changes
comments compression content-types cookie-auth cors deprecation discovery embed envelope
extra-fields field-index fields first-run html import index-documents jobs jsonp login media meta
options outgoing passwords permalinks plain-urls posts preload previews rendering response-cache
rest-headers revisions roles scheduled-posts search settings shortcodes smilies store taxonomies
terms themes trace users webhooks`.split(/\s+/),
)
