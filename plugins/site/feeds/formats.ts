import type { Feed, FeedEntry } from './feed.ts'
import type { FeedFormat } from './feed-url.ts'
import { xml } from './xml.ts'

/** Media type, path (below the URL of the subject's page) and writer of each feed format. */
export const FEED_FORMATS: Readonly<
  Record<FeedFormat, { readonly type: string; readonly path: string; readonly write: (feed: Feed) => string }>
> = {
  rss: { type: 'application/rss+xml', path: 'feed/', write: rss },
  atom: { type: 'application/atom+xml', path: 'feed/atom/', write: atom },
}

/** Renders a feed as RSS 2.0. */
function rss(feed: Feed): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>${xml(feed.title)}</title>
<link>${xml(feed.page)}</link>
<description>${xml(feed.description)}</description>
<language>${xml(feed.language)}</language>
<atom:link rel="self" type="application/rss+xml" href="${xml(feed.url)}"/>
${feed.modified === 0 ? '' : `<lastBuildDate>${new Date(feed.modified).toUTCString()}</lastBuildDate>\n`}${feed.entries.map(rssItem).join('')}</channel>
</rss>
`
}

function rssItem({ id, title, url, author, categories, published, summary, content }: FeedEntry): string {
  return `<item>
<title>${xml(title)}</title>
<link>${xml(url)}</link>
<guid isPermaLink="false">${xml(id)}</guid>
<pubDate>${new Date(published).toUTCString()}</pubDate>
${author === '' ? '' : `<dc:creator>${xml(author)}</dc:creator>\n`}${categories.map((name) => `<category>${xml(name)}</category>\n`).join('')}<description>${xml(summary)}</description>
${content === null ? '' : `<content:encoded>${xml(content)}</content:encoded>\n`}</item>
`
}

/** Renders a feed as Atom (RFC 4287). */
function atom(feed: Feed): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${xml(feed.language)}">
<title>${xml(feed.title)}</title>
<subtitle>${xml(feed.description)}</subtitle>
<id>${xml(feed.url)}</id>
<link rel="self" type="application/atom+xml" href="${xml(feed.url)}"/>
<link rel="alternate" type="text/html" href="${xml(feed.page)}"/>
<updated>${new Date(feed.modified).toISOString()}</updated>
${feed.entries.map((entry) => atomEntry(entry, feed)).join('')}</feed>
`
}

function atomEntry(
  { id, title, url, author, categories, published, modified, summary, content }: FeedEntry,
  { anonymous }: Feed,
): string {
  return `<entry>
<title>${xml(title)}</title>
<id>${xml(id)}</id>
<link rel="alternate" type="text/html" href="${xml(url)}"/>
<published>${new Date(published).toISOString()}</published>
<updated>${new Date(modified).toISOString()}</updated>
<author><name>${xml(author || anonymous)}</name></author>
${categories.map((name) => `<category term="${xml(name)}"/>\n`).join('')}<summary type="html">${xml(summary)}</summary>
${content === null ? '' : `<content type="html">${xml(content)}</content>\n`}</entry>
`
}
