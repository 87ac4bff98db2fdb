import type { Examples } from '../pages.ts'

const LINK = /https:\/\/front\.example\/api\/preview\?token=\S+&id=\d+&type=post&rest_base=posts&slug=my-draft/

export default {
  prelude: ['declare function renderPage(post: unknown): string'],
  config: {
    plugins: {
      previews: {
        front_ends: {
          main: 'https://front.example/api/preview?token={token}&id={id}&type={type}&rest_base={rest_base}&slug={slug}',
        },
      },
    },
  },
  async prepare(site) {
    const { id } = await site.request('POST', '/svc/v2/posts', { title: 'My draft', slug: 'my-draft', status: 'draft' })
    return { 'posts/12': `posts/${String(id)}`, 'preview 12': `preview ${String(id)}` }
  },
  prints: [
    new RegExp(`"link":"${LINK.source}"[\\s\\S]*"front_end":"main"`),
    /"status":"draft"/,
    new RegExp(`${LINK.source}[\\s\\S]*revoked`),
  ],
} satisfies Examples as Examples
