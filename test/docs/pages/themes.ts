import { blocksOf } from '../blocks.ts'
import type { Examples } from '../pages.ts'

const blocks = await blocksOf('docs/guides/themes.md')
const files = blocks.filter(({ language }) => ['css', 'json', 'html'].includes(language)).map(({ code }) => code)
const [style = '', themeJson = '', template = '', pattern = ''] = files

export default {
  files: {
    'themes/meadow/style.css': style,
    'themes/meadow/theme.json': themeJson,
    'themes/meadow/templates/index.html': template,
    'themes/meadow/patterns/call.html': pattern,
  },
  prints: [/default[\s\S]*meadow[\s\S]*Meadow is active/, /"id":"meadow\/\/index"/],
} satisfies Examples as Examples
