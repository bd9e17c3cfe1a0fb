-- The people of a customer have no console. The links in their mails lead to the page of the application that shows the portal.

alter table posthorn.notice_addresses
  add column portal_page_url text,
  add constraint only_addresses_of_organizations_have_a_portal_page
    check (portal_page_url is null or organization_id is not null),
  add constraint portal_page_url_is_https_without_fragment
    check (portal_page_url ~ '^https://[^#]+$' and char_length(portal_page_url) <= 2048);
