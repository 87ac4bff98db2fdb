import type { NewRow } from '../../storage/store/index.ts'

/** One post or page of the sample. */
export interface SamplePost {
  type: 'post' | 'page'
  slug: string
  title: string
  content: string
  /** What lists show of it. */
  excerpt?: string
  /** Slugs of its terms. */
  terms?: string[]
}

export const TERMS: readonly NewRow<'terms'>[] = [
  { taxonomy: 'category', name: 'General', slug: 'general', description: 'What belongs nowhere else.' },
  { taxonomy: 'category', name: 'How it works', slug: 'how-it-works' },
  { taxonomy: 'post_tag', name: 'sample', slug: 'sample' },
  { taxonomy: 'post_tag', name: 'reading', slug: 'reading' },
]

/** What writes the blocks of the sample. @param mark prefix of the names in comments and of classes */
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
 * Posts and pages, the newest last.
 * @param admin URL of the page to log in at
 * @param mark prefix of the names of blocks in comments, and of their classes
 */
export function samplePosts(admin: string, mark: string): readonly SamplePost[] {
  const { p, heading, list, code, quote } = blockWriter(mark)
  return [
    {
      type: 'page',
      slug: 'about',
      title: 'About this site',
      content: text(
        p('A page stands outside of the order of posts. Say here who you are and what the site is about.'),
        heading('Who writes here'),
        p('A sentence or two about each author is enough. Readers like to know whom they listen to.'),
        heading('How to change this page'),
        p(`<a href="${admin}">Log in</a>, open <strong>Pages</strong>, and choose this one.`),
      ),
    },
    {
      type: 'page',
      slug: 'contact',
      title: 'Contact',
      content: text(
        p('Tell your readers how they reach you:'),
        list(
          'an email address that somebody reads,',
          'the hours at which you answer,',
          'a postal address, where the law wants one.',
        ),
      ),
    },
    {
      type: 'post',
      slug: 'bring-your-own-content',
      title: 'Bring your own content',
      excerpt: 'An export of another site is read with one command, and the sample makes room for it.',
      content: text(
        p(
          'An export of another site is read with <code>svc-import</code>: posts, pages, comments, terms and menus, with their IDs as long as this sample is all there is.',
        ),
        code('svc-import export.xml --uploads uploads'),
        heading('What becomes of the sample'),
        p(
          'It leaves by itself when you import something and nobody has changed it. The account that you log in with stays.',
        ),
      ),
      terms: ['how-it-works', 'sample'],
    },
    {
      type: 'post',
      slug: 'ask-for-less',
      title: 'Ask for less, or for more',
      excerpt: 'Everything that these pages show is there for programs, too: as much of it as they ask for.',
      content: text(
        p(
          'Everything that these pages show is there for programs, too. A client that needs the titles alone asks for them, and the server does no more work than that:',
        ),
        code('GET /posts?_fields=id,title'),
        p('One that wants the author and the terms of each post as well adds <code>_embed</code>.'),
        heading('Three things to try'),
        list(
          'a search: <code>/search?search=sample</code>',
          'the posts of a category: <code>/posts?categories=1</code>',
          'one page, in the head of which a link with the relation <code>alternate</code> leads to its data',
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
          `<a href="${admin}">Log in</a> with the login and the password that the server printed when it started first. Then:`,
        ),
        list(
          'open <strong>Posts</strong> and choose <strong>Add</strong>,',
          'give it a title, a text and a category,',
          'publish it: it is at the top of the front page at once.',
        ),
        quote(
          'A first sentence need not be good. It needs to be there, so that a second one can follow.',
          'Every editor, sooner or later',
        ),
        heading('Make it yours'),
        p(
          'Title and tagline are among the settings, the menu at the top among the menus, colours and fonts among the looks.',
        ),
      ),
      terms: ['general', 'sample'],
    },
  ]
}

/** The menu at the top of each page: what it is called, and the slugs of the pages in it after the link to the front page. */
export const MENU = { name: 'Main', slug: 'main', pages: ['about', 'contact'] } as const
