# A bucket for "tide" data.
terraform {
  required_version = ">= 1.5"
  backend "s3" {
    bucket = "tide-state"
    key    = "prod/state.json"
  }
}

variable "region" {
  type    = string
  default = "eu-north-1"
}

resource "aws_s3_bucket" "data" {
  bucket = "tide-${var.region}"
  tags   = { "Name" = "tide", "Team" = "harbour", "Note" = "" }
}

resource "aws_iam_policy" "read" {
  name   = "tide-read"
  policy = jsonencode({
    "Version" : "2012-10-17",
    "Statement" : [{ "Effect" : "Allow", "Action" : ["s3:GetObject"], "Resource" : "${aws_s3_bucket.data.arn}/*" }]
  })
}

output "url" {
  value = "https://${aws_s3_bucket.data.bucket_domain_name}"
}
