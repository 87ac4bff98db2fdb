import type { NewRow } from '../../storage/store/index.ts'

/** One post or page of the sample. */
export interface SamplePost {
  type: 'post' | 'page'
  slug: string
  title: string
  content: string
  /** Slugs of its terms. */
  terms?: string[]
}

export const TERMS: readonly NewRow<'terms'>[] = [
  { taxonomy: 'category', name: 'General', slug: 'general', description: 'What belongs nowhere else.' },
  { taxonomy: 'category', name: 'How it works', slug: 'how-it-works' },
  { taxonomy: 'post_tag', name: 'sample', slug: 'sample' },
  { taxonomy: 'post_tag', name: 'reading', slug: 'reading' },
]

/** Newest last. */
export const POSTS: readonly SamplePost[] = [
  {
    type: 'page',
    slug: 'about',
    title: 'About this site',
    content: '<p>A page stands outside of the order of posts. Say here who you are and what the site is about.</p>',
  },
  {
    type: 'page',
    slug: 'contact',
    title: 'Contact',
    content: '<p>Tell your readers how they reach you.</p>',
  },
  {
    type: 'post',
    slug: 'bring-your-own-content',
    title: 'Bring your own content',
    content:
      '<p>An export of another site is read with <code>svc-import</code>: posts, pages, comments, terms and menus, with their ids as long as this sample is all there is.</p>\n' +
      '<p>The sample leaves by itself then.</p>',
    terms: ['how-it-works', 'sample'],
  },
  {
    type: 'post',
    slug: 'ask-for-less',
    title: 'Ask for less, or for more',
    content:
      '<p>A client that needs the titles alone asks for <code>_fields=id,title</code>, and the server does no more work than that.</p>\n' +
      '<p>One that wants the author and the terms of each post as well adds <code>_embed</code>.</p>',
    terms: ['how-it-works', 'reading', 'sample'],
  },
  {
    type: 'post',
    slug: 'hello',
    title: 'Hello',
    content: '<p>This is the first post of a new site. Change it, or delete it and write your own.</p>',
    terms: ['general', 'sample'],
  },
]
