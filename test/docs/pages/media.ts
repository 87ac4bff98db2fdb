import type { Examples } from '../pages.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export default {
  async prepare(site) {
    await site.shell(`echo ${PIXEL} | base64 -d > leaf.jpg`)
    const { id } = await site.request('POST', '/svc/v2/posts', { title: 'The last ID before the upload' })
    return { 'media/12': `media/${Number(id) + 1}` }
  },
  prints: [
    /"alt_text":"A leaf"/,
    /^\[\]/,
    /"focal_point":\{"x":0.25,"y":0.8\}/,
    /^\{"posts":\[\],"site":\[\],"complete":true\}/,
  ],
} satisfies Examples as Examples
