/** Meta keys of posts and terms, without the prefix of the dialect. */
export const RANK_MATH_KEYS = [
  'title',
  'description',
  'focus_keyword',
  'canonical_url',
  'robots',
  'advanced_robots',
  'facebook_title',
  'facebook_description',
  'facebook_image',
  'facebook_image_id',
  'twitter_use_facebook',
  'twitter_card_type',
  'twitter_title',
  'twitter_description',
  'twitter_image',
  'twitter_image_id',
  'breadcrumb_title',
  'primary_category',
  'rich_snippet',
  'snippet_article_type',
] as const
export const RANK_MATH_PREFIX = 'rank_math_'

export const YOAST_KEYS = [
  'title',
  'metadesc',
  'focuskw',
  'canonical',
  'meta-robots-noindex',
  'meta-robots-nofollow',
  'meta-robots-adv',
  'opengraph-title',
  'opengraph-description',
  'opengraph-image',
  'opengraph-image-id',
  'twitter-title',
  'twitter-description',
  'twitter-image',
  'twitter-image-id',
  'bctitle',
  'primary_category',
  'estimated-reading-time-minutes',
  'schema_page_type',
  'schema_article_type',
] as const
const YOAST_NAME = 'wpseo_'
export const YOAST_PREFIX = `_yoast_${YOAST_NAME}`
