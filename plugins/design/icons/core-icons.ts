import type { Icons } from './service.ts'

const LINE = 'fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"'

/** Built-in icons, drawn with a 1.5 stroke on a 24 × 24 grid: name, label and path. */
const DRAWN: readonly (readonly [name: string, label: string, drawing: string])[] = [
  ['arrow-down', 'Arrow down', 'M12 4.5v15M6.5 14l5.5 5.5 5.5-5.5'],
  ['arrow-left', 'Arrow left', 'M19.5 12h-15M10 6.5 4.5 12l5.5 5.5'],
  ['arrow-right', 'Arrow right', 'M4.5 12h15M14 6.5l5.5 5.5-5.5 5.5'],
  ['arrow-up', 'Arrow up', 'M12 19.5v-15M6.5 10 12 4.5 17.5 10'],
  ['arrow-up-left', 'Arrow up left', 'M17.5 17.5 7 7M7 15V7h8'],
  ['arrow-up-right', 'Arrow up right', 'M6.5 17.5 17 7M9 7h8v8'],
  ['arrow-down-left', 'Arrow down left', 'M17.5 6.5 7 17M7 9v8h8'],
  ['arrow-down-right', 'Arrow down right', 'M6.5 6.5 17 17M17 9v8H9'],
  ['at-symbol', 'At sign', 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0v1.5a2.25 2.25 0 0 0 4.5 0V12a8.5 8.5 0 1 0-3.5 6.9'],
  [
    'audio',
    'Audio',
    'M9 17.5V6l10-2v11.5M9 17.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0M19 15.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0',
  ],
  ['bell', 'Bell', 'M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4'],
  ['block-default', 'Block', 'M5 8.5h14v11H5zM8 8.5v-3h3v3M13 8.5v-3h3v3'],
  ['calendar', 'Calendar', 'M4.5 6h15v13.5h-15zM4.5 10h15M8.5 4v3M15.5 4v3'],
  ['capture-photo', 'Camera', 'M4 8h3.5L9 5.5h6L16.5 8H20v11H4zM15.5 13a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0'],
  ['category', 'Category', 'M5 5h5.5v5.5H5zM13.5 5H19v5.5h-5.5zM5 13.5h5.5V19H5zM13.5 13.5H19V19h-5.5z'],
  ['check', 'Check', 'M5 12.5 10 17.5 19 7'],
  ['chevron-down', 'Chevron down', 'M6 9.5l6 6 6-6'],
  ['chevron-left', 'Chevron left', 'M14.5 6l-6 6 6 6'],
  ['chevron-right', 'Chevron right', 'M9.5 6l6 6-6 6'],
  ['chevron-up', 'Chevron up', 'M6 14.5l6-6 6 6'],
  ['close', 'Close', 'M6 6l12 12M18 6 6 18'],
  ['cloud', 'Cloud', 'M7.5 18.5a4 4 0 0 1-.4-8 5.5 5.5 0 0 1 10.6 1 3.5 3.5 0 0 1-.7 7z'],
  ['code', 'Code', 'M8.5 7l-5 5 5 5M15.5 7l5 5-5 5'],
  [
    'cog',
    'Settings',
    'M15 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0M12 3.5V6M12 18v2.5M3.5 12H6M18 12h2.5M6 6l1.8 1.8M16.2 16.2 18 18M18 6l-1.8 1.8M7.8 16.2 6 18',
  ],
  ['comment', 'Comment', 'M4.5 5h15v11H12l-4.5 4v-4h-3z'],
  ['copy', 'Copy', 'M8.5 8.5h11v11h-11zM15.5 8.5v-4h-11v11h4'],
  ['download', 'Download', 'M12 4v11M7.5 10.5 12 15l4.5-4.5M5 19.5h14'],
  ['envelope', 'Envelope', 'M4 6h16v12H4zM4 7l8 6.5L20 7'],
  ['external', 'External', 'M13.5 4.5h6v6M19.5 4.5 11 13M10 6.5H5.5v12h12V14'],
  ['file', 'File', 'M6 4h8l4 4v12H6zM14 4v4h4'],
  ['gallery', 'Gallery', 'M8 4h12v12H8zM16 20H4V8M8 13l3.5-3.5 5 6.5'],
  ['globe', 'Globe', 'M20 12a8 8 0 1 1-16 0 8 8 0 0 1 16 0M4 12h16M12 4c5 5 5 11 0 16M12 4c-5 5-5 11 0 16'],
  ['grid', 'Grid', 'M5 5h14v14H5zM5 12h14M12 5v14'],
  ['group', 'Group', 'M4 4h10v10H4zM10 17v3h10V10h-3'],
  ['heading', 'Heading', 'M6.5 5v14M17.5 5v14M6.5 12h11'],
  ['help', 'Help', 'M20 12a8 8 0 1 1-16 0 8 8 0 0 1 16 0M9.5 10a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .7-1 1.5M12 16.5v.1'],
  ['home', 'Home', 'M4 11.5 12 4.5l8 7M6.5 10v9.5h11V10M10.5 19.5v-5h3v5'],
  ['image', 'Image', 'M4.5 5h15v14h-15zM4.5 16l5-5 4 4 2.5-2.5 3.5 3.5M15.5 8.5v.1'],
  ['info', 'Information', 'M20 12a8 8 0 1 1-16 0 8 8 0 0 1 16 0M12 11v5M12 8v.1'],
  ['key', 'Key', 'M10.5 16a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0M9.5 13.5l9-9M15 8l3 3'],
  ['link', 'Link', 'M10 7.5H8a4.5 4.5 0 0 0 0 9h2M14 7.5h2a4.5 4.5 0 0 1 0 9h-2M8.5 12h7'],
  ['list', 'List', 'M9 6.5h11M9 12h11M9 17.5h11M5 6.5v.1M5 12v.1M5 17.5v.1'],
  ['lock', 'Lock', 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3'],
  [
    'map-marker',
    'Place',
    'M12 20.5c-4-4.5-6-7.5-6-10.5a6 6 0 0 1 12 0c0 3-2 6-6 10.5M14 10a2 2 0 1 1-4 0 2 2 0 0 1 4 0',
  ],
  ['menu', 'Menu', 'M5 7h14M5 12h14M5 17h14'],
  ['minus', 'Minus', 'M5 12h14'],
  ['more-horizontal', 'More', 'M6 12v.1M12 12v.1M18 12v.1'],
  ['more-vertical', 'More options', 'M12 6v.1M12 12v.1M12 18v.1'],
  ['page', 'Page', 'M6.5 4h11v16h-11zM9.5 8.5h5M9.5 12h5M9.5 15.5h3'],
  ['paragraph', 'Paragraph', 'M11 12.5a4 4 0 0 1 0-8h7M11 4.5v15M15 4.5v15'],
  ['payment', 'Payment', 'M3.5 6h17v12h-17zM3.5 10h17M7 14.5h3'],
  ['pencil', 'Edit', 'M5 19l1-4L16 5l3 3L9 18z'],
  [
    'people',
    'People',
    'M11.5 8.5a3 3 0 1 1-6 0 3 3 0 0 1 6 0M3 19c0-3.5 2.5-5 5.5-5s5.5 1.5 5.5 5M15.5 6a3 3 0 0 1 0 5.5M17 14.2c2.5.5 4 2 4 4.8',
  ],
  ['pin', 'Pin', 'M9 4.5h6l-1 6 3 3.5H7l3-3.5zM12 14v6'],
  ['play', 'Play', 'M8 5.5v13l10-6.5z'],
  ['plus', 'Plus', 'M12 5v14M5 12h14'],
  ['quote', 'Quote', 'M10 7c-3 .5-5 2.5-5 6v4h5v-5H7.5M19 7c-3 .5-5 2.5-5 6v4h5v-5h-2.5'],
  ['receipt', 'Receipt', 'M6 4h12v16l-2-1.5-2 1.5-2-1.5-2 1.5-2-1.5L6 20zM9 8.5h6M9 12h6'],
  ['rss', 'Feed', 'M5 5a14 14 0 0 1 14 14M5 11a8 8 0 0 1 8 8M6 18v.1'],
  ['search', 'Search', 'M16 10.5a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0M14.5 14.5l5 5'],
  ['send', 'Send', 'M4 11.5l16-7-5 15-3.5-6zM20 4.5 11.5 13.5'],
  [
    'share',
    'Share',
    'M8 12l8-5M8 12l8 5M8 12a2 2 0 1 1-4 0 2 2 0 0 1 4 0M20 6.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0M20 17.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0',
  ],
  ['shield', 'Shield', 'M12 3.5l7 2.5v6c0 4-3 7-7 8.5-4-1.5-7-4.5-7-8.5V6z'],
  ['star-empty', 'Star', 'M12 4l2.5 5.2 5.5.7-4 3.9 1 5.7-5-2.7-5 2.7 1-5.7-4-3.9 5.5-.7z'],
  ['table', 'Table', 'M4 5h16v14H4zM4 9.5h16M4 14h16M12 9.5V19'],
  ['tag', 'Tag', 'M4.5 4.5H12l7.5 7.5-7.5 7.5L4.5 12zM8.5 8.5v.1'],
  ['trash', 'Trash', 'M5 7h14M9 7V4.5h6V7M6.5 7l1 13h9l1-13M10.5 10.5v6M13.5 10.5v6'],
  ['upload', 'Upload', 'M12 15V4M7.5 8.5 12 4l4.5 4.5M5 19.5h14'],
  ['verse', 'Verse', 'M5 6h9M5 10h12M5 14h7M5 18h10'],
  ['video', 'Video', 'M4 6.5h11v11H4zM15 11l5-3v8l-5-3'],
  ['warning', 'Warning', 'M12 4.5 21 19.5H3zM12 10v4.5M12 17v.1'],
]

/** Registers the built-in icons. */
export function registerCoreIcons(icons: Icons): void {
  icons.registerCollection('core', { label: 'Icons', description: 'Simple icons for every site.' })
  for (const [name, label, drawing] of DRAWN) {
    const content = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path ${LINE} d="${drawing}" /></svg>`
    icons.register(`core/${name}`, { label, content })
  }
}
