# The webhooks of one organization, and the organization itself. Each is owned by its uid: the mutations that create and
# those that update are the same upsert, so a run after a lost state finds what exists, and changes nothing.

terraform {
  required_version = ">= 1.5"
  required_providers {
    graphql = {
      source  = "sullivtr/graphql"
      version = "~> 2.6"
    }
  }
}

# An operator's key, with the scope admin. Only the organization needs it.
provider "graphql" {
  url     = "${var.posthorn_url}/graphql"
  headers = { "Authorization" = "Bearer ${var.operator_key}" }
}

# The same key, acting for the organization that the header names by its uid.
provider "graphql" {
  alias = "organization"
  url   = "${var.posthorn_url}/graphql"
  headers = {
    "Authorization"         = "Bearer ${var.operator_key}"
    "posthorn-organization" = var.organization.uid
  }
}

# The provider reads the value of each variable as JSON, so every value is written as JSON.
resource "graphql_mutation" "organization" {
  mutation_variables = {
    "uid"   = jsonencode(var.organization.uid)
    "input" = jsonencode({ name = var.organization.name, metadata = var.organization.metadata })
    "run"   = local.run
  }
  read_query_variables  = { "uid" = jsonencode(var.organization.uid) }
  compute_mutation_keys = { "id" = "organization.id" }

  create_mutation = file("${path.module}/graphql/upsert-organization.graphql")
  update_mutation = file("${path.module}/graphql/upsert-organization.graphql")
  read_query      = file("${path.module}/graphql/read-organization.graphql")
  delete_mutation = file("${path.module}/graphql/release-organization.graphql")

  # The provider would look for each input as one text in the answer, and find another field with the same value.
  enable_remote_state_verification = false
}

resource "graphql_mutation" "webhook" {
  for_each   = var.webhooks
  provider   = graphql.organization
  depends_on = [graphql_mutation.organization]

  mutation_variables = {
    "uid"   = jsonencode(each.key)
    "input" = jsonencode(each.value)
    "run"   = local.run
  }
  read_query_variables  = { "uid" = jsonencode(each.key) }
  compute_mutation_keys = { "id" = "webhook.id" }

  create_mutation = file("${path.module}/graphql/upsert-webhook.graphql")
  update_mutation = file("${path.module}/graphql/upsert-webhook.graphql")
  read_query      = file("${path.module}/graphql/read-webhook.graphql")
  delete_mutation = file("${path.module}/graphql/delete-webhook.graphql")

  enable_remote_state_verification = false
}

locals {
  # A variable that no document has. A new value makes Terraform send every upsert again.
  run = var.reconcile ? timestamp() : ""

  # Fields of a webhook that the answers do not have, or have in another form: secrets, and texts of a field and of a time.
  not_compared = ["headers", "secret", "filterText"]
}

# Posthorn answers invalid input as data, which the provider does not read. So each plan and each run compares.
check "webhooks" {
  assert {
    condition = alltrue(flatten([
      for uid, input in var.webhooks : [
        for name, value in input :
        try(jsonencode(jsondecode(graphql_mutation.webhook[uid].query_response).data.webhook[name]), "") == jsonencode(value)
        if !contains(local.not_compared, name)
      ]
    ]))
    error_message = "A webhook is not as it is configured: somebody changed it elsewhere, or Posthorn refused the input. Run terraform apply -var reconcile=true. If this warning stays, run it with TF_LOG=DEBUG, which shows the answers (and the key)."
  }
}

# For the receiver of each webhook, and for other resources.
output "webhook_ids" {
  value = { for uid, webhook in graphql_mutation.webhook : uid => webhook.computed_delete_operation_variables.id }
}
