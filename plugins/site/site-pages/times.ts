/** Converts a stored UTC time to ISO 8601 with a time zone. */
export const isoOf = (date: string) => `${date.replace(' ', 'T')}+00:00`
