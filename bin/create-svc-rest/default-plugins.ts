/** Names of the default plugins of every site. A new plugin cannot have one of them. */
export const DEFAULT_PLUGINS: ReadonlySet<string> = new Set(
  `abilities actions admin allow-header application-passwords arguments autosaves batch block-patterns blocks bodies
change-feed changes comments compression conditional content-rendering content-types cookie-auth core-blocks cors
crawlers custom-field-routes custom-fields custom-types deprecation discovery editor editor-ajax embed envelope
exporter extra-fields featured-image-fields feed-reader feeds field-index fields-parameter filter-parameter first-run
fonts forms global-styles html icons imported-data imported-ids importer index-documents installed-plugins
jetpack-fields jobs jsonp jwt languages limits login login-attempts media menu-routes menus meta navigation oembed
optional-plugins options-method outgoing passwords permalinks plain-urls post-notes posts preload previews redirects
request-hooks resources response-cache rest-headers revisions roles scheduled-posts search security-headers seo
settings shortcodes site-health site-pages site-requests smilies store taxonomies templates terms themes tls trace
transfer translations url-details url-replacement users view-config webhooks widgets`.split(/\s+/),
)
