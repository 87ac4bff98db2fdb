import type { NewRow } from '../../storage/store/index.ts'

/** A post or page of the sample. */
export interface SamplePost {
  type: 'post' | 'page'
  slug: string
  title: string
  content: string
  /** Text shown in lists. */
  excerpt?: string
  /** Slugs of the terms. */
  terms?: string[]
}

export const TERMS: readonly NewRow<'terms'>[] = [
  { taxonomy: 'category', name: 'General', slug: 'general', description: 'Posts without a more specific category.' },
  { taxonomy: 'category', name: 'How it works', slug: 'how-it-works' },
  { taxonomy: 'post_tag', name: 'sample', slug: 'sample' },
  { taxonomy: 'post_tag', name: 'reading', slug: 'reading' },
]

/** Creates functions that write blocks. @param mark prefix of block names and classes */
function blockWriter(mark: string) {
  const block = (name: string, html: string) => `<!-- ${mark}:${name} -->\n${html}\n<!-- /${mark}:${name} -->`
  const p = (html: string) => block('paragraph', `<p>${html}</p>`)
  const items = (texts: readonly string[]) => texts.map((item) => block('list-item', `<li>${item}</li>`)).join('\n')
  return {
    p,
    heading: (text: string) => block('heading', `<h2 class="${mark}-block-heading">${text}</h2>`),
    list: (...texts: string[]) => block('list', `<ul class="${mark}-block-list">${items(texts)}</ul>`),
    code: (text: string) => block('code', `<pre class="${mark}-block-code"><code>${text}</code></pre>`),
    quote: (text: string, from: string) =>
      block('quote', `<blockquote class="${mark}-block-quote">${p(text)}<cite>${from}</cite></blockquote>`),
  }
}

const text = (...blocks: string[]) => blocks.join('\n\n')

/**
 * Posts and pages, oldest first.
 * @param admin URL of the login page
 * @param mark prefix of block names and classes
 */
export function samplePosts(admin: string, mark: string): readonly SamplePost[] {
  const { p, heading, list, code, quote } = blockWriter(mark)
  return [
    {
      type: 'page',
      slug: 'about',
      title: 'About this site',
      content: text(
        p('A page is not part of the list of posts. Introduce yourself and the topic of the site here.'),
        heading('Authors'),
        p('A sentence or two about each author is enough. Readers like to know who is writing.'),
        heading('How to change this page'),
        p(`<a href="${admin}">Log in</a>, open <strong>Pages</strong>, and choose this one.`),
      ),
    },
    {
      type: 'page',
      slug: 'contact',
      title: 'Contact',
      content: text(
        p('Ways to reach you:'),
        list(
          'an email address that you check,',
          'the hours when you answer,',
          'a postal address, if the law requires one.',
        ),
      ),
    },
    {
      type: 'post',
      slug: 'bring-your-own-content',
      title: 'Bring your own content',
      excerpt: 'Import an export of another site with one command. It replaces this sample.',
      content: text(
        p(
          '<code>svc-import</code> imports an export of another site: posts, pages, comments, terms and menus. IDs are kept as long as the site contains only this sample.',
        ),
        code('svc-import export.xml --uploads uploads'),
        heading('What happens to the sample'),
        p('An import removes the sample if it is unchanged. Your account stays.'),
      ),
      terms: ['how-it-works', 'sample'],
    },
    {
      type: 'post',
      slug: 'ask-for-less',
      title: 'Ask for less, or for more',
      excerpt: 'Programs can read everything these pages show, and request only the fields they need.',
      content: text(
        p(
          'Programs can read everything these pages show. A client that only needs titles requests only titles, and the server does no extra work:',
        ),
        code('GET /posts?_fields=id,title'),
        p('To include the author and the terms of each post, add <code>_embed</code>.'),
        heading('Three things to try'),
        list(
          'a search: <code>/search?search=sample</code>',
          'the posts of a category: <code>/posts?categories=1</code>',
          'the head of a page, where a link with the relation <code>alternate</code> leads to its data',
        ),
      ),
      terms: ['how-it-works', 'reading', 'sample'],
    },
    {
      type: 'post',
      slug: 'hello',
      title: 'Hello',
      excerpt: 'This is the first post of a new site. Change it, or delete it and write your own.',
      content: text(
        p('This is the first post of a new site. Change it, or delete it and write your own.'),
        heading('Write something'),
        p(
          `<a href="${admin}">Log in</a> with the login and the password that the server printed at its first start. Then:`,
        ),
        list(
          'open <strong>Posts</strong> and choose <strong>Add</strong>,',
          'enter a title, a text and a category,',
          'publish it: it appears at the top of the front page.',
        ),
        quote(
          'A first sentence need not be good. It needs to be there, so that a second one can follow.',
          'Every editor, sooner or later',
        ),
        heading('Make it yours'),
        p('Change the title and tagline under Settings, the menu under Menus, and colors and fonts under Appearance.'),
      ),
      terms: ['general', 'sample'],
    },
  ]
}

/** The main menu: its name, and the slugs of its pages after the link to the front page. */
export const MENU = { name: 'Main', slug: 'main', pages: ['about', 'contact'] } as const
