/** Escapes text for a cell of a Markdown table, on one line. */
export const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')
