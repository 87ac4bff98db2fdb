import type { PatternCategory } from './service.ts'

/** The categories of every site, which themes file their patterns under. */
export const CATEGORIES: Readonly<Record<string, Omit<PatternCategory, 'name'>>> = {
  banner: { label: 'Banners', description: 'Large openings that say what a page is about.' },
  buttons: { label: 'Buttons', description: 'Buttons, alone and in groups.' },
  columns: { label: 'Columns', description: 'Texts and images side by side.' },
  text: { label: 'Text', description: 'Paragraphs, headings and lists.' },
  posts: { label: 'Posts', description: 'Lists of the newest posts, or of chosen ones.' },
  featured: { label: 'Featured', description: 'What the theme recommends.' },
  'call-to-action': { label: 'Call to action', description: 'Asks readers to do something.' },
  team: { label: 'Team', description: 'Shows the people behind the site.' },
  testimonials: { label: 'Testimonials', description: 'What others say.' },
  services: { label: 'Services', description: 'Says what is on offer.' },
  contact: { label: 'Contact', description: 'Says how to get in touch.' },
  about: { label: 'About', description: 'Introduces a person or an organisation.' },
  portfolio: { label: 'Portfolio', description: 'Shows earlier work.' },
  gallery: { label: 'Gallery', description: 'Several images together.' },
  media: { label: 'Media', description: 'Video and audio with text.' },
  footer: { label: 'Footers', description: 'Ends of pages.' },
  header: { label: 'Headers', description: 'Tops of pages.' },
}
