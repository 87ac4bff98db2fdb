/**
 * The data by which an import recognizes a WordPress plugin. A name that ends with `*` is a prefix of names; all names
 * are those of the export.
 */
export interface KnownPlugin {
  /** Name of the WordPress plugin. */
  readonly name: string
  /** Optional plugins that serve its data; empty if no plugin does. */
  readonly servedBy: readonly string[]
  readonly contentTypes?: readonly string[]
  readonly taxonomies?: readonly string[]
  readonly metaKeys?: readonly string[]
  /** Beginnings of meta values, for plugins whose keys users choose. */
  readonly metaValues?: readonly string[]
  readonly options?: readonly string[]
  readonly shortcodes?: readonly string[]
  /** Prefixes of the names of blocks, without the slash. */
  readonly blocks?: readonly string[]
}

/** The WordPress plugins whose data an import recognizes. */
export const KNOWN_PLUGINS: readonly KnownPlugin[] = [
  {
    name: 'Advanced Custom Fields',
    servedBy: ['custom-fields'],
    contentTypes: ['acf-field-group', 'acf-field'],
    metaValues: ['field_*'],
    options: ['acf_version'],
    blocks: ['acf'],
  },
  {
    name: 'Advanced Custom Fields (types and taxonomies)',
    servedBy: ['custom-types'],
    contentTypes: ['acf-post-type', 'acf-taxonomy'],
  },
  { name: 'Custom Post Type UI', servedBy: ['custom-types'], options: ['cptui_post_types', 'cptui_taxonomies'] },
  {
    name: 'Polylang',
    servedBy: ['languages'],
    taxonomies: ['language', 'post_translations', 'term_language', 'term_translations'],
    metaKeys: ['_pll_*'],
    options: ['polylang'],
    blocks: ['polylang'],
  },
  {
    name: 'Yoast SEO',
    servedBy: ['seo'],
    metaKeys: ['_yoast_*', 'wpseo_*'],
    options: ['wpseo', 'wpseo_titles', 'wpseo_social', 'wpseo_taxonomy_meta'],
    blocks: ['yoast', 'yoast-seo'],
  },
  {
    name: 'Rank Math',
    servedBy: ['seo'],
    metaKeys: ['rank_math_*'],
    options: ['rank-math-options-titles', 'rank-math-options-general', 'rank-math-options-sitemap'],
    shortcodes: ['rank_math_*'],
    blocks: ['rank-math'],
  },
  {
    name: 'Jetpack',
    servedBy: ['jetpack-fields'],
    metaKeys: ['sharing_disabled', 'jetpack_*', '_jetpack_*'],
    options: ['jetpack_options', 'jetpack_active_modules'],
    blocks: ['jetpack'],
  },
  // No plugin of this bundle serves the data of the following plugins.
  {
    name: 'WooCommerce',
    servedBy: [],
    contentTypes: ['product', 'product_variation', 'shop_order', 'shop_order_refund', 'shop_coupon'],
    taxonomies: ['product_cat', 'product_tag', 'product_type', 'product_visibility', 'product_shipping_class', 'pa_*'],
    metaKeys: ['_product_*', '_regular_price', '_sale_price', '_price', '_sku', '_stock*', '_wc_*', 'total_sales'],
    shortcodes: ['products', 'product_page', 'woocommerce_cart', 'woocommerce_checkout', 'woocommerce_my_account'],
    blocks: ['woocommerce'],
  },
  {
    name: 'Elementor',
    servedBy: [],
    contentTypes: ['elementor_library', 'elementor_font', 'elementor_icons', 'elementor_snippet'],
    taxonomies: ['elementor_library_type', 'elementor_library_category'],
    metaKeys: ['_elementor_*'],
  },
  { name: 'Divi', servedBy: [], contentTypes: ['et_pb_layout'], metaKeys: ['_et_*'], shortcodes: ['et_pb_*'] },
  { name: 'WPBakery Page Builder', servedBy: [], metaKeys: ['_wpb_*'], shortcodes: ['vc_*'] },
  { name: 'Beaver Builder', servedBy: [], contentTypes: ['fl-builder-template'], metaKeys: ['_fl_builder_*'] },
  {
    name: 'The Events Calendar',
    servedBy: [],
    contentTypes: ['tribe_events', 'tribe_venue', 'tribe_organizer'],
    taxonomies: ['tribe_events_cat'],
    metaKeys: ['_Event*', '_Venue*', '_Organizer*'],
  },
  { name: 'bbPress', servedBy: [], contentTypes: ['forum', 'topic', 'reply'], metaKeys: ['_bbp_*'] },
  {
    name: 'Easy Digital Downloads',
    servedBy: [],
    contentTypes: ['edd_payment', 'edd_discount'],
    metaKeys: ['_edd_*', 'edd_*'],
  },
  {
    name: 'LearnDash',
    servedBy: [],
    contentTypes: ['sfwd-*'],
    taxonomies: ['ld_*'],
    metaKeys: ['_sfwd-*', '_ld_*', 'learndash_*'],
  },
  { name: 'Gravity Forms', servedBy: [], shortcodes: ['gravityform', 'gravityforms'], blocks: ['gravityforms'] },
  { name: 'WPForms', servedBy: [], contentTypes: ['wpforms'], shortcodes: ['wpforms'], blocks: ['wpforms'] },
  { name: 'Ninja Forms', servedBy: [], contentTypes: ['nf_sub'], shortcodes: ['ninja_form', 'ninja_forms'] },
  { name: 'Slider Revolution', servedBy: [], shortcodes: ['rev_slider'] },
  { name: 'TablePress', servedBy: [], contentTypes: ['tablepress_table'], metaKeys: ['_tablepress_*'] },
  { name: 'All in One SEO', servedBy: [], metaKeys: ['_aioseo_*', '_aioseop_*'] },
  { name: 'SEOPress', servedBy: [], metaKeys: ['_seopress_*'] },
  { name: 'Pods', servedBy: [], contentTypes: ['_pods_pod', '_pods_field', '_pods_group'], metaKeys: ['_pods_*'] },
  { name: 'Toolset Types', servedBy: [], contentTypes: ['view', 'view-template'], metaKeys: ['wpcf-*', '_wpcf*'] },
  {
    name: 'WP Job Manager',
    servedBy: [],
    contentTypes: ['job_listing'],
    taxonomies: ['job_listing_*'],
    metaKeys: ['_job_*', '_company_*'],
  },
  {
    name: 'Redirection',
    servedBy: ['redirects'],
    options: ['redirection_options', 'redirection_tables'],
  },
  { name: 'Yoast SEO Premium (redirects)', servedBy: ['redirects'], options: ['wpseo-premium-redirects-*'] },
  {
    name: 'Contact Form 7',
    servedBy: ['forms'],
    contentTypes: ['wpcf7_contact_form'],
    metaKeys: ['_form', '_mail', '_mail_2', '_messages', '_additional_settings'],
    options: ['wpcf7'],
    shortcodes: ['contact-form-7'],
    blocks: ['contact-form-7'],
  },
]
